/** States of the iteration machine that bring the plugin up and run tests. */
import { stepId } from "../task/task.ts";
import { type ChooseTestsStep, iterationSetup, type LoadStepRequest } from "./iteration_setup.ts";

/** Forgets an earlier load. */
const newLoad = (load: LoadStepRequest | undefined) => ({ load, loaded: undefined, loadFailure: undefined });

/** A load, or a reload, that tells the loop's session what it changed. */
const loading = iterationSetup.createStateConfig({
  invoke: {
    id: stepId,
    src: "load",
    input: ({ context: { prepared, caller } }) => ({
      request: { ...prepared.load!, caller },
      cancelled: false,
    }),
    onDone: {
      target: "settling",
      actions: [
        { type: "prepare", params: ({ event }) => ({ loaded: event.output }) },
        { type: "tellReload", params: ({ event }) => ({ loaded: event.output }) },
      ],
    },
    onError: {
      target: "settling",
      actions: { type: "prepare", params: ({ event }) => ({ loadFailure: event.error }) },
    },
  },
});

/** Asks for the tests that a phase runs. */
const choosing = (phase: ChooseTestsStep["phase"]) =>
  iterationSetup.createStateConfig({
    invoke: {
      src: "chooseTests",
      input: ({ context: { run, turn } }) => ({
        number: turn!.number,
        phase,
        run,
        commits: (turn!.fixed?.fixes ?? []).map(({ commit }) => commit),
      }),
      onDone: {
        target: "running",
        actions: { type: "prepare", params: ({ event }) => ({ tests: event.output }) },
      },
    },
  });

const running = iterationSetup.createStateConfig({
  invoke: {
    id: stepId,
    src: "runTests",
    input: ({ context: { prepared, caller } }) => ({
      request: { type: "session.run_tests", suite: prepared.tests!.suite, caller },
      cancelled: false,
    }),
    onDone: "reading",
  },
});

/** Brings the plugin up where it does not run as the branch has it, and runs the run's tests. */
const testing = iterationSetup.createStateConfig({
  entry: { type: "tellPhase", params: { phase: "testing" } },
  initial: "inspecting",
  states: {
    inspecting: {
      invoke: {
        src: "inspect",
        input: ({ context: { run } }) => ({ run, changed: false }),
        onDone: [
          {
            guard: { type: "needsNoLoad", params: ({ event }) => ({ request: event.output }) },
            target: "choosing",
          },
          {
            target: "loading",
            actions: { type: "prepare", params: ({ event }) => newLoad(event.output) },
          },
        ],
      },
    },
    loading,
    settling: {
      invoke: {
        src: "settleLoad",
        input: ({ context: { run, prepared } }) => ({
          run,
          withFixes: run.fixes !== undefined,
          request: prepared.load!,
          loaded: prepared.loaded,
          failure: prepared.loadFailure,
        }),
        onDone: [
          {
            guard: { type: "loadFailed", params: ({ event }) => event.output },
            target: "reading",
            actions: { type: "prepare", params: ({ event }) => ({ loadError: event.output.loadError }) },
          },
          { target: "choosing" },
        ],
      },
    },
    choosing: choosing("testing"),
    running,
    reading: {
      invoke: {
        src: "readStatus",
        input: ({ context: { prepared } }) => ({ loadError: prepared.loadError }),
        onDone: {
          target: "#iteration.working.judging",
          actions: { type: "noteTests", params: ({ event }) => event.output },
        },
      },
    },
  },
});

/** Brings the plugin up with the fixes. */
const reloading = iterationSetup.createStateConfig({
  entry: { type: "tellPhase", params: { phase: "reloading" } },
  initial: "inspecting",
  states: {
    inspecting: {
      invoke: {
        src: "inspect",
        input: ({ context: { run } }) => ({ run, changed: true }),
        onDone: {
          target: "loading",
          actions: { type: "prepare", params: ({ event }) => newLoad(event.output) },
        },
      },
    },
    loading,
    settling: {
      invoke: {
        src: "settleLoad",
        input: ({ context: { run, prepared } }) => ({
          run,
          withFixes: true,
          request: prepared.load!,
          loaded: prepared.loaded,
          failure: prepared.loadFailure,
        }),
        onDone: [
          {
            guard: { type: "loadFailed", params: ({ event }) => event.output },
            target: "#iteration.working.recording",
            actions: { type: "noteReload", params: ({ event }) => event.output },
          },
          {
            target: "#iteration.working.retesting",
            actions: { type: "noteReload", params: ({ event }) => event.output },
          },
        ],
      },
    },
  },
});

const retesting = iterationSetup.createStateConfig({
  entry: { type: "tellPhase", params: { phase: "retesting" } },
  initial: "choosing",
  states: {
    choosing: choosing("retesting"),
    running,
    reading: {
      invoke: {
        src: "readStatus",
        input: { loadError: undefined },
        onDone: [
          {
            guard: { type: "passesInPart", params: ({ event }) => event.output },
            target: "#iteration.working.confirming",
            actions: { type: "noteRetest", params: ({ event }) => event.output },
          },
          {
            target: "#iteration.working.recording",
            actions: { type: "noteRetest", params: ({ event }) => event.output },
          },
        ],
      },
    },
  },
});

/** Runs the remaining tests once those that failed pass. */
const confirming = iterationSetup.createStateConfig({
  entry: { type: "tellPhase", params: { phase: "confirming" } },
  initial: "choosing",
  states: {
    choosing: choosing("confirming"),
    running,
    reading: {
      invoke: {
        src: "readStatus",
        input: { loadError: undefined },
        onDone: {
          target: "#iteration.working.recording",
          actions: { type: "noteRetest", params: ({ event }) => event.output },
        },
      },
    },
  },
});

export const testStates = { testing, reloading, retesting, confirming };
