/**
 * The loop of a session: test, diagnose, fix, reload, retest, record.
 *
 * Started by the session with the first request, and kept until its end: its context is the session's history of iterations.
 * A request runs one or more turns. Without fixes and without a fixer it ends at `awaitingFixes`, and the next request
 * with fixes goes on from there. Each request to the session is a step with a state of its own; a cancel goes to the step
 * under way, whose answer is waited for.
 */
import { and, not } from "xstate";
import { fixStates } from "./iteration/fix_states.ts";
import { iterationSetup, noRun } from "./iteration/iteration_setup.ts";
import { testStates } from "./iteration/test_states.ts";

export type {
  ChooseTestsStep,
  IterationEvent,
  IterationFact,
  LoadStepRequest,
  ProposeStep,
  RecordStep,
  SettleLoadStep,
} from "./iteration/iteration_setup.ts";

/** Decides by the results how the iteration continues. */
const judging = iterationSetup.createStateConfig({
  always: [
    { guard: "hasFixes", target: "fixing" },
    { guard: "mustConfirm", target: "confirming" },
    { guard: "isGreen", target: "recording" },
    { target: "diagnosing" },
  ],
});

const diagnosing = iterationSetup.createStateConfig({
  entry: { type: "tellPhase", params: { phase: "diagnosing" } },
  invoke: {
    src: "diagnose",
    onDone: { target: "diagnosed", actions: { type: "noteDiagnosis", params: ({ event }) => event.output } },
  },
});

const diagnosed = iterationSetup.createStateConfig({
  always: [{ guard: "hasFixer", target: "fixing" }, { target: "#iteration.awaitingFixes" }],
});

const recorded = iterationSetup.createStateConfig({
  always: [
    { guard: "goesOn", target: "diagnosing", actions: "nextTurn" },
    { target: "#iteration.ended" },
  ],
});

export const iterationMachine = iterationSetup.createMachine({
  id: "iteration",
  description: "The loop of a session: test, diagnose, fix, reload, retest, record.",
  context: ({ input }) => ({
    ...input,
    run: noRun,
    caller: "",
    turn: undefined,
    begunWith: 0,
    commits: [],
    prepared: {},
    cancelled: false,
    error: undefined,
  }),
  initial: "idle",
  states: {
    idle: { on: { "iteration.run": { target: "deciding", actions: "begin" } } },
    awaitingFixes: {
      entry: { type: "answer", params: { awaiting: true } },
      on: { "iteration.run": { target: "deciding", actions: "begin" } },
    },
    deciding: {
      always: [{ guard: "isSettled", target: "working.fixing" }, { target: "working.testing" }],
    },
    working: {
      initial: "testing",
      exit: "waitNoMore",
      // A run that was cancelled ends with the answer of its step.
      always: { guard: "endsCancelled", target: "ended" },
      on: {
        "iteration.cancel": [
          { guard: "isCancelled" },
          { guard: "isAsking", actions: ["noteCancel", "cancelStep", "giveUpLater"] },
          { actions: "noteCancel" },
        ],
        "iteration.give_up": "ended",
        /** The error of a slot or a step; of one that was cancelled it says nothing. */
        "xstate.error.actor.*": [
          { guard: and(["isCancelled", not("isRecording")]), target: "ended" },
          { target: "broken", actions: { type: "noteError", params: ({ event }) => event } },
        ],
      },
      states: {
        ...testStates,
        judging,
        diagnosing,
        diagnosed,
        ...fixStates,
        recorded,
      },
    },
    ended: { entry: { type: "answer", params: { awaiting: false } }, always: "idle" },
    /** A step could not do its work: told, and the next request begins anew. */
    broken: { entry: "fail", always: "idle" },
  },
});
