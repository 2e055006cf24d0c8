/** Inspection of a server that owes an answer to a test, and the state of the test at its limit. */
import { assign } from "xstate";
import type { HangFact } from "../hang_inspection_machine.ts";
import type { HangInspection } from "../model/stuck.ts";
import { callTimeout, limitMs, pingTimeoutMs, testSetup } from "./test_setup.ts";

/**
 * Inspects the server's processes, from now on so long; where no ping is answered after that, it goes on meanwhile.
 * @param leftMs Time in ms until the limit, by the limit under way
 */
export const inspectWithin = (leftMs: (limitMs: number) => number) =>
  testSetup.spawnChild("inspect", {
    id: "inspection",
    input: ({ context }) => ({
      of: { connectionId: context.connectionId! },
      leftMs: leftMs(limitMs({ context })) + pingTimeoutMs,
    }),
  });

/** Notes each finding of the inspection. */
export const noteInspection = {
  actions: {
    type: "noteHang",
    params: ({ event }: { event: HangFact }) => ({ inspection: event.inspection }),
  },
} as const;

type StacksTaken = { event: { output: HangInspection | undefined } };
const hasStacks = ({ event }: StacksTaken) => event.output !== undefined;
const stacksOf = ({ event }: StacksTaken) => ({ inspection: event.output! });

/** Ends a test without a verdict; what was set up is torn down. */
export const cancelled = [
  { guard: "hasTeardown", target: "#test.cleaningUp", actions: "noteCancelled" },
  { target: "#test.finished", actions: "noteCancelled" },
] as const;

/** State `timingOut`: the call is given up, and the server is asked whether it still lives. */
export const timingOutState = testSetup.createStateConfig({
  entry: ["cancelCall", assign({ damaged: true })],
  exit: "endInspection",
  on: { "test.cancel": cancelled, "hang.inspected": noteInspection },
  invoke: [
    {
      src: "ping",
      input: ({ context }) => ({ connectionId: context.connectionId!, timeoutMs: pingTimeoutMs }),
      onDone: {
        target: "#test.judging",
        actions: {
          type: "observe",
          params: ({ context, event }) => ({ timedOut: callTimeout(context, event.output) }),
        },
      },
      onError: {
        target: "#test.judging",
        actions: { type: "observe", params: ({ context }) => ({ timedOut: callTimeout(context, false) }) },
      },
    },
    // Whatever becomes of the server by it, it is ended.
    {
      src: "captureStacks",
      input: ({ context }) => ({ inspection: context.wait.inspection }),
      onDone: { guard: hasStacks, actions: { type: "noteHang", params: stacksOf } },
      onError: {},
    },
  ],
});
