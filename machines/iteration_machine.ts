/**
 * The loop of a session: test, diagnose, fix, reload, retest, record.
 *
 * Started by the session with the first request, and kept until its end: its context is the session's history of iterations.
 * A request runs one or more turns. Without fixes and without a fixer it ends at `awaitingFixes`, and the next request
 * with fixes goes on from there.
 */
import { isGreen } from "./iteration/assess_convergence.ts";
import { iterationSetup, noRun } from "./iteration/iteration_setup.ts";
import { draftOf, isPartial } from "./iteration/iteration_state.ts";

export type {
  FixStep,
  IterationEvent,
  IterationFact,
  RecordStep,
  ReloadStep,
  RunTestsStep,
} from "./iteration/iteration_setup.ts";

const testing = iterationSetup.createStateConfig({
  entry: { type: "tellPhase", params: { phase: "testing" } },
  invoke: {
    src: "test",
    input: ({ context: { run, turn } }) => ({ number: turn!.number, phase: "testing", run }),
    onDone: { target: "judging", actions: { type: "noteTests", params: ({ event }) => event.output } },
    onError: { target: "#iteration.broken", actions: { type: "noteError", params: ({ event }) => event } },
  },
});

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
    input: ({ context }) => ({ number: context.turn!.number }),
    onDone: { target: "diagnosed", actions: { type: "noteDiagnosis", params: ({ event }) => event.output } },
    onError: { target: "#iteration.broken", actions: { type: "noteError", params: ({ event }) => event } },
  },
});

const diagnosed = iterationSetup.createStateConfig({
  always: [{ guard: "hasFixer", target: "fixing" }, { target: "#iteration.awaitingFixes" }],
});

const fixing = iterationSetup.createStateConfig({
  entry: { type: "tellPhase", params: { phase: "fixing" } },
  invoke: {
    src: "fix",
    input: ({ context: { run, turn, records } }) => ({
      number: turn!.number,
      run,
      diagnosis: turn!.diagnosis,
      records,
    }),
    onDone: [
      {
        guard: ({ event }) => event.output.fixes.length === 0,
        target: "recording",
        actions: { type: "noteFixes", params: ({ event }) => event.output },
      },
      { target: "reloading", actions: { type: "noteFixes", params: ({ event }) => event.output } },
    ],
    onError: { target: "#iteration.broken", actions: { type: "noteError", params: ({ event }) => event } },
  },
});

const reloading = iterationSetup.createStateConfig({
  entry: { type: "tellPhase", params: { phase: "reloading" } },
  invoke: {
    src: "reload",
    input: ({ context: { run, turn } }) => ({ number: turn!.number, run }),
    onDone: [
      {
        guard: ({ event }) => event.output.loadError !== undefined,
        target: "recording",
        actions: { type: "noteReload", params: ({ event }) => event.output },
      },
      { target: "retesting", actions: { type: "noteReload", params: ({ event }) => event.output } },
    ],
    onError: { target: "#iteration.broken", actions: { type: "noteError", params: ({ event }) => event } },
  },
});

const retesting = iterationSetup.createStateConfig({
  entry: { type: "tellPhase", params: { phase: "retesting" } },
  invoke: {
    src: "test",
    input: ({ context: { run, turn } }) => ({
      number: turn!.number,
      phase: "retesting",
      run,
      commits: (turn!.fixed?.fixes ?? []).map(({ commit }) => commit),
    }),
    onDone: [
      {
        guard: ({ context, event }) =>
          (isPartial(context.run) || event.output.partial === true) && isGreen(event.output.standing),
        target: "confirming",
        actions: { type: "noteRetest", params: ({ event }) => event.output },
      },
      { target: "recording", actions: { type: "noteRetest", params: ({ event }) => event.output } },
    ],
    onError: { target: "#iteration.broken", actions: { type: "noteError", params: ({ event }) => event } },
  },
});

/** Runs the remaining tests once those that failed pass. */
const confirming = iterationSetup.createStateConfig({
  entry: { type: "tellPhase", params: { phase: "confirming" } },
  invoke: {
    src: "test",
    input: ({ context: { run, turn } }) => ({ number: turn!.number, phase: "confirming", run }),
    onDone: { target: "recording", actions: { type: "noteRetest", params: ({ event }) => event.output } },
    onError: { target: "#iteration.broken", actions: { type: "noteError", params: ({ event }) => event } },
  },
});

const recording = iterationSetup.createStateConfig({
  entry: { type: "tellPhase", params: { phase: "recording" } },
  invoke: {
    src: "record",
    input: ({ context: { run, turn, records } }) => ({
      draft: { ...draftOf(turn!), ...(run.distro === undefined ? {} : { distro: run.distro }) },
      records,
      groups: turn!.diagnosis?.groups ?? [],
    }),
    onDone: { target: "recorded", actions: { type: "keepRecord", params: ({ event }) => event.output } },
    onError: { target: "#iteration.broken", actions: { type: "noteError", params: ({ event }) => event } },
  },
  // What is on the branch is in the history, too.
  on: { "iteration.cancel": { actions: "noteCancel" } },
});

const recorded = iterationSetup.createStateConfig({
  always: [
    { guard: "goesOn", target: "diagnosing", actions: "nextTurn" },
    { target: "#iteration.idle", actions: { type: "answer", params: { awaiting: false } } },
  ],
});

export const iterationMachine = iterationSetup.createMachine({
  id: "iteration",
  description: "The loop of a session: test, diagnose, fix, reload, retest, record.",
  context: ({ input }) => ({
    ...input,
    run: noRun,
    turn: undefined,
    begunWith: 0,
    commits: [],
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
      on: {
        "iteration.cancel": {
          target: "idle",
          actions: ["noteCancel", { type: "answer", params: { awaiting: false } }],
        },
      },
      states: {
        testing,
        judging,
        diagnosing,
        diagnosed,
        fixing,
        reloading,
        retesting,
        confirming,
        recording,
        recorded,
      },
    },
    /** A step could not do its work: told, and the next request begins anew. */
    broken: { entry: "fail", always: "idle" },
  },
});
