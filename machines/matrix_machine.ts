/**
 * Runs one suite in several environments: one after the other, because a fix for one is tested on those that
 * come after it; the primary one last again.
 *
 * Started by the session with the first request, and kept until its end. How one distribution is tested and mended is the
 * loop's business: each step of this machine is a request to the session, by an event.
 */
import { and } from "xstate";
import { entryAt, fixRunOf, matrixSetup, phaseOf, testRunOf } from "./matrix/matrix_setup.ts";
import { stepId } from "./task/task.ts";

export type {
  ConfirmStep,
  EntryTestResult,
  MatrixEvent,
  MatrixFact,
  Provisioned,
} from "./matrix/matrix_setup.ts";

/** A cancel while a request to the session is under way goes to its step, once, and its answer is waited for. */
const cancelsStep = {
  "matrix.cancel": [
    { guard: "isCancelled" },
    { actions: ["noteCancel", "cancelStep", "giveUpLater"] },
  ],
} as const;

const provisioning = matrixSetup.createStateConfig({
  entry: { type: "tellPhase", params: ({ context }) => ({ phase: phaseOf(context) }) },
  initial: "configuring",
  states: {
    configuring: {
      invoke: {
        src: "configure",
        input: ({ context }) => ({ entry: entryAt(context) }),
        onDone: {
          target: "replacing",
          actions: {
            type: "prepareStep",
            params: ({ event }) => ({ config: event.output, failure: undefined }),
          },
        },
        // One that cannot be had must not cost the others.
        onError: {
          target: "#matrix.deciding",
          actions: [{ type: "noteBroken", params: ({ event }) => event }, "goOn"],
        },
      },
    },
    replacing: {
      invoke: {
        id: stepId,
        src: "replace",
        input: ({ context: { prepared, caller } }) => ({
          request: { type: "session.replace_environment", config: prepared.config!, caller },
          cancelled: false,
        }),
        onDone: [{ guard: "isCancelled", target: "#matrix.cancelled" }, { target: "confirming" }],
        onError: [
          { guard: "isCancelled", target: "#matrix.cancelled" },
          {
            target: "confirming",
            actions: { type: "prepareStep", params: ({ event }) => ({ failure: event.error }) },
          },
        ],
      },
      on: cancelsStep,
    },
    confirming: {
      invoke: {
        src: "confirm",
        input: ({ context }) => ({ entry: entryAt(context), failure: context.prepared.failure }),
        onDone: {
          target: "#matrix.visiting.testing",
          actions: { type: "noteEnvironment", params: ({ event }) => event.output },
        },
        onError: {
          target: "#matrix.deciding",
          actions: [{ type: "noteBroken", params: ({ event }) => event }, "goOn"],
        },
      },
    },
  },
});

/** The loop, as a request to the session. */
const iterating = matrixSetup.createStateConfig({
  invoke: {
    id: stepId,
    src: "iterate",
    input: ({ context: { prepared, caller } }) => ({
      request: { ...prepared.iterate!, caller },
      cancelled: false,
    }),
    onDone: [
      { guard: "isCancelled", target: "#matrix.cancelled" },
      {
        target: "reading",
        actions: { type: "prepareStep", params: ({ event }) => ({ outcome: event.output }) },
      },
    ],
    onError: [
      { guard: "isCancelled", target: "#matrix.cancelled" },
      { target: "#matrix.idle", actions: { type: "fail", params: ({ event }) => event } },
    ],
  },
  on: cancelsStep,
});

/** Provisions a distribution, tests it, and fixes it where there is a fixer. */
const visiting = matrixSetup.createStateConfig({
  initial: "provisioning",
  exit: "waitNoMore",
  on: { "matrix.cancel": "#matrix.cancelled", "matrix.give_up": "#matrix.cancelled" },
  states: {
    provisioning,
    testing: {
      initial: "preparing",
      states: {
        preparing: {
          invoke: {
            src: "prepare",
            input: ({ context }) => ({ run: testRunOf(context) }),
            onDone: {
              target: "iterating",
              actions: { type: "prepareStep", params: ({ event }) => ({ iterate: event.output }) },
            },
            onError: { target: "#matrix.idle", actions: { type: "fail", params: ({ event }) => event } },
          },
        },
        iterating,
        reading: {
          invoke: {
            src: "readEntry",
            input: ({ context: { prepared } }) => ({ outcome: prepared.outcome! }),
            onDone: {
              target: "#matrix.visiting.judging",
              actions: { type: "noteLook", params: ({ event }) => event.output },
            },
            onError: { target: "#matrix.idle", actions: { type: "fail", params: ({ event }) => event } },
          },
        },
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
      initial: "preparing",
      states: {
        preparing: {
          invoke: {
            src: "prepare",
            input: ({ context }) => ({ run: fixRunOf(context) }),
            onDone: {
              target: "iterating",
              actions: { type: "prepareStep", params: ({ event }) => ({ iterate: event.output }) },
            },
            onError: { target: "#matrix.idle", actions: { type: "fail", params: ({ event }) => event } },
          },
        },
        iterating,
        reading: {
          invoke: {
            src: "readEntry",
            input: ({ context: { prepared } }) => ({ outcome: prepared.outcome! }),
            onDone: {
              target: "#matrix.visiting.retested",
              actions: { type: "noteMended", params: ({ event }) => event.output },
            },
            onError: { target: "#matrix.idle", actions: { type: "fail", params: ({ event }) => event } },
          },
        },
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
    caller: "",
    stops: [],
    index: 0,
    seen: [],
    made: [],
    fixes: undefined,
    awaited: undefined,
    again: false,
    prepared: {},
    cancelled: false,
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
          {
            guard: ({ event }) => "skip" in event.answer,
            target: "deciding",
            actions: ["takeAnswer", "goOn"],
          },
          { target: "visiting.fixing", actions: ["takeAnswer", "takeFixes"] },
        ],
      },
    },
    complete: { entry: { type: "answer", params: { state: "complete" } } },
    failed: { entry: { type: "answer", params: { state: "failed" } } },
    cancelled: { entry: { type: "answer", params: { state: "cancelled" } } },
  },
});
