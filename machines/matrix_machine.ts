/**
 * Runs one suite in several environments: one after the other, because a fix for one is tested on those that
 * come after it; the primary one last again.
 *
 * Started by the session with the first request, and kept until its end. How one distribution is tested and mended is the
 * loop's business: each step of this machine is a request to the session like any other.
 */
import { and } from "xstate";
import { entryAt, matrixSetup, phaseOf } from "./matrix/matrix_setup.ts";

export type {
  EntryTestResult,
  FixEntryStep,
  MatrixEvent,
  MatrixFact,
  ProvisionStep,
  TestEntryStep,
} from "./matrix/matrix_setup.ts";

/** Provisions a distribution, tests it, and fixes it where there is a fixer. */
const visiting = matrixSetup.createStateConfig({
  initial: "provisioning",
  on: { "matrix.cancel": "#matrix.cancelled" },
  states: {
    provisioning: {
      entry: { type: "tellPhase", params: ({ context }) => ({ phase: phaseOf(context) }) },
      invoke: {
        src: "provision",
        input: ({ context }) => ({ entry: entryAt(context) }),
        onDone: {
          target: "testing",
          actions: { type: "noteEnvironment", params: ({ event }) => event.output },
        },
        // One that cannot be had must not cost the others.
        onError: {
          target: "#matrix.deciding",
          actions: [{ type: "noteBroken", params: ({ event }) => event }, "goOn"],
        },
      },
    },
    testing: {
      invoke: {
        src: "testEntry",
        input: ({ context }) => ({
          entry: entryAt(context),
          run: context.request!.run,
          again: context.again,
        }),
        onDone: { target: "judging", actions: { type: "noteLook", params: ({ event }) => event.output } },
        onError: { target: "#matrix.idle", actions: { type: "fail", params: ({ event }) => event } },
      },
    },
    judging: {
      always: [
        { guard: "isCancelled", target: "#matrix.cancelled" },
        { guard: "passes", target: "#matrix.deciding", actions: "goOn" },
        { guard: "hasFixer", target: "fixing" },
        { target: "#matrix.awaitingFixes" },
      ],
    },
    fixing: {
      entry: { type: "tellPhase", params: { phase: "fixing" } },
      invoke: {
        src: "fixEntry",
        input: ({ context }) => ({
          entry: entryAt(context),
          run: context.request!.run,
          fixes: context.fixes,
          phase: phaseOf(context),
        }),
        onDone: { target: "retested", actions: { type: "noteMended", params: ({ event }) => event.output } },
        onError: { target: "#matrix.idle", actions: { type: "fail", params: ({ event }) => event } },
      },
    },
    /** Leaves what a fixer could not fix; who makes fixes by hand hears why, and is asked again. */
    retested: {
      always: [
        { guard: "isCancelled", target: "#matrix.cancelled" },
        { guard: "passes", target: "#matrix.deciding", actions: "goOn" },
        { guard: "hasFixer", target: "#matrix.deciding", actions: "goOn" },
        { target: "testing", actions: "lookAgain" },
      ],
    },
  },
});

export const matrixMachine = matrixSetup.createMachine({
  id: "matrix",
  description: "One suite in several environments: one after the other, the primary one last again.",
  context: {
    request: undefined,
    stops: [],
    index: 0,
    seen: [],
    made: [],
    fixes: undefined,
    awaited: undefined,
    again: false,
  },
  initial: "idle",
  on: { "matrix.run": { target: ".deciding", actions: "begin" } },
  states: {
    idle: {},
    deciding: {
      always: [
        { guard: and(["isOver", "allPass"]), target: "complete" },
        { guard: "isOver", target: "failed" },
        { target: "visiting" },
      ],
    },
    visiting,
    /** The request is answered; the next one brings fixes, or leaves this distribution as it is. */
    awaitingFixes: {
      entry: { type: "answer", params: { state: "awaiting_fixes" } },
      on: {
        "matrix.answer": [
          { guard: ({ event }) => "skip" in event.answer, target: "deciding", actions: "goOn" },
          { target: "visiting.fixing", actions: "takeFixes" },
        ],
      },
    },
    complete: { entry: { type: "answer", params: { state: "complete" } } },
    failed: { entry: { type: "answer", params: { state: "failed" } } },
    cancelled: { entry: { type: "answer", params: { state: "cancelled" } } },
  },
});
