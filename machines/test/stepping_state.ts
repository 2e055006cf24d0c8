/** State `running.work.stepping` of the test machine: the steps of Tiers 2 and 3, one after the other. */
import { assign } from "xstate";
import { testSetup } from "./test_setup.ts";

export const steppingState = testSetup.createStateConfig({
  initial: "performing",
  states: {
    performing: {
      entry: "performStep",
      on: {
        "step.performed": [
          {
            guard: "stepHasVerify",
            target: "verifying",
            actions: { type: "noteResult", params: ({ event }) => event.seen },
          },
          { target: "weighing", actions: { type: "noteResult", params: ({ event }) => event.seen } },
        ],
        "call.failed": {
          target: "#test.judging",
          actions: [
            assign({ damaged: true }),
            { type: "observe", params: ({ event }) => ({ callError: event.error }) },
          ],
        },
      },
    },
    verifying: {
      invoke: {
        src: "verify",
        input: ({ context: { planned, step } }) => ({ planned, step: step.index }),
        onDone: {
          target: "weighing",
          actions: { type: "noteCommands", params: ({ event }) => ({ commands: event.output }) },
        },
        onError: {
          target: "#test.judging",
          actions: { type: "observe", params: ({ event }) => ({ callError: event.error }) },
        },
      },
    },
    /** Judged at once: the first step that does not hold is the last one. */
    weighing: {
      invoke: {
        src: "judgeStep",
        input: ({ context: { planned, rules, step: { index, seen, commands } } }) => ({
          planned,
          rules,
          index,
          seen: seen!,
          commands,
        }),
        onDone: { target: "choosing", actions: { type: "closeStep", params: ({ event }) => event.output } },
        onError: {
          target: "#test.judging",
          actions: { type: "observe", params: ({ event }) => ({ callError: event.error }) },
        },
      },
    },
    choosing: {
      always: [
        { guard: "stepFailed", target: "#test.judging" },
        { guard: "hasNextStep", target: "performing" },
        { guard: "hasVerify", target: "#test.running.work.verifying" },
        { target: "#test.judging" },
      ],
    },
  },
});
