/**
 * The verification across distributions: one after the other, because a fix for one is tested on those that
 * come after it; the primary one last again.
 *
 * Started by the session with the first request, and kept until its end. How one distribution is tested and mended is the
 * loop's business: each step of this machine is a request to the session like any other.
 */
import { matrixSetup, type MatrixStep } from "./verification/matrix_setup.ts";

export type {
  EntryTestResult,
  FixEntryStep,
  MatrixEvent,
  MatrixFact,
  ProvisionStep,
  TestEntryStep,
} from "./verification/matrix_setup.ts";

/** Provisions a distribution, tests it, and fixes it where there is a fixer. */
const visit = (phase: MatrixStep) =>
  matrixSetup.createStateConfig({
    initial: "provisioning",
    on: { "verification.cancel": "#verification.cancelled" },
    states: {
      provisioning: {
        invoke: {
          src: "provision",
          input: ({ context: { stops, index } }) => ({ entry: stops[index]!.entry, phase }),
          onDone: {
            target: "testing",
            actions: { type: "noteEnvironment", params: ({ event }) => event.output },
          },
          // One that cannot be had must not cost the others.
          onError: {
            target: "#verification.next",
            actions: { type: "noteBroken", params: ({ event }) => event },
          },
        },
      },
      testing: {
        invoke: {
          src: "look",
          input: ({ context: { stops, index, request, again } }) => ({
            entry: stops[index]!.entry,
            run: request!.run,
            again,
          }),
          onDone: { target: "judging", actions: { type: "noteLook", params: ({ event }) => event.output } },
          onError: {
            target: "#verification.broken",
            actions: { type: "noteError", params: ({ event }) => event },
          },
        },
      },
      judging: {
        always: [
          { guard: "isCancelled", target: "#verification.cancelled" },
          { guard: "passes", target: "#verification.next" },
          { guard: "hasFixer", target: "fixing" },
          { target: "#verification.awaitingFixes" },
        ],
      },
      fixing: {
        invoke: {
          src: "mend",
          input: ({ context: { stops, index, request, fixes } }) => ({
            entry: stops[index]!.entry,
            run: request!.run,
            fixes,
            phase,
          }),
          onDone: {
            target: "retested",
            actions: { type: "noteMended", params: ({ event }) => event.output },
          },
          onError: {
            target: "#verification.broken",
            actions: { type: "noteError", params: ({ event }) => event },
          },
        },
      },
      /** Leaves what a fixer could not fix; a caller that supplies fixes gets the reason and is asked again. */
      retested: {
        always: [
          { guard: "isCancelled", target: "#verification.cancelled" },
          { guard: "passes", target: "#verification.next" },
          { guard: "hasFixer", target: "#verification.next" },
          { target: "testing", actions: "lookAgain" },
        ],
      },
    },
  });

export const matrixMachine = matrixSetup.createMachine({
  id: "verification",
  description: "The verification across distributions: one after the other, the primary one last again.",
  context: {
    request: undefined,
    stops: [],
    index: 0,
    seen: [],
    made: [],
    fixes: undefined,
    awaited: undefined,
    again: false,
    error: undefined,
  },
  initial: "idle",
  on: { "verification.run": { target: ".deciding", actions: "begin" } },
  states: {
    idle: {},
    next: { entry: "goOn", always: "deciding" },
    deciding: {
      always: [
        { guard: "isOver", target: "judged" },
        { guard: "isLast", target: "reverifying" },
        { target: "verifying" },
      ],
    },
    verifying: visit("verifying"),
    /** Fixes for others must not have harmed the one that was developed on. */
    reverifying: visit("reverifying"),
    /** The request is answered; the next one brings fixes, or leaves this distribution as it is. */
    awaitingFixes: {
      entry: { type: "answer", params: { state: "awaiting_fixes" } },
      on: {
        "verification.answer": [
          { guard: ({ event }) => "skip" in event.answer, target: "next" },
          { guard: "isLast", target: "reverifying.fixing", actions: "takeFixes" },
          { target: "verifying.fixing", actions: "takeFixes" },
        ],
      },
    },
    judged: { always: [{ guard: "allPass", target: "complete" }, { target: "failed" }] },
    complete: { entry: { type: "answer", params: { state: "complete" } } },
    failed: { entry: { type: "answer", params: { state: "failed" } } },
    cancelled: { entry: { type: "answer", params: { state: "cancelled" } } },
    /** A step could not do its work: told, and the next request begins anew. */
    broken: { entry: "fail", always: "idle" },
  },
});
