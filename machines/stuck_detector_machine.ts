/**
 * Watches one process tree while it is silent, and tells its parent when it is stuck: proven, with the stacks of its threads, or
 * suspected. It ends nothing: that is for its parent to decide.
 */
import { and, type AnyActorRef, assign, or, sendTo, setup } from "xstate";
import type { CapturedStacks, LoopProof, RunnerThreads, StuckFact, StuckJudgement } from "./model/stuck.ts";
import { messageOf } from "./message_of.ts";
import { parentRef } from "./parent_ref.ts";
import { callbackActor, slot } from "./slot.ts";
import {
  measuredBy,
  type SampleMeasures,
  type SampleTaken,
  unmeasured,
  withFigures,
} from "./stuck/sample_measures.ts";

export interface StuckDetectorInput {
  /** Root of the tree, as the place where it runs numbers it. */
  pid: number;
  runner?: RunnerThreads;
  /** Time at which the run is ended, in ms of the epoch. */
  deadlineAt: number;
}

/** Answers of the sampler, which lives as long as the machine and takes `sampler.sample`. */
export type SamplerEvent =
  | SampleTaken
  | { type: "sampler.failed"; reason: string };

export type StuckDetectorEvent =
  /** Anything was printed. */
  | { type: "output" }
  | { type: "watch.end" }
  | SamplerEvent;

export interface CaptureInput {
  pid: number;
  judgement: StuckJudgement;
  /** The way that takes them may end the process. */
  mayEnd: boolean;
  /** Proof that it is a loop. */
  proof?: LoopProof;
}

export interface ProveInput {
  /** Root of the tree. */
  pid: number;
  tid: number;
  /** Looks for a short loop alone, as the tree stands still meanwhile. */
  brief: boolean;
}

interface StuckDetectorContext extends StuckDetectorInput {
  /** Number of the sample that was asked for last. */
  asked: number;
  judgement: StuckJudgement;
  /** Samples in a row that say the same. */
  hits: number;
  /** Cost of the latest sample, and time of the first of those in a row. */
  measured: SampleMeasures;
  /** A suspicion was reported and is not cleared. */
  told: boolean;
  /** Hits at which the next attempt at a proof is due. */
  proofDue: number;
  stacks: CapturedStacks | undefined;
  proof: LoopProof | undefined;
  /** The tree was stopped since the sample before: the next one shows that. */
  disturbed: boolean;
}

/** Silence in ms after which a tree is looked at for the first time: starting what looks takes as long as many tests. */
const firstSilence = 1000;
/** The same later on, and shortest time between two samples. */
const shortestPause = 300;
const longestPause = 2000;
/** Samples that a proof takes, and those before a suspicion is looked into. */
const certainHits = 2;
const suspiciousHits = 3;
/** Samples before computing is tested for a short loop, and for any. */
const briefProof = 4;
const firstProof = 10;

/** Text by which two judgements are the same. */
const keyOf = (judgement: StuckJudgement) =>
  "threads" in judgement
    ? `${judgement.kind} ${judgement.certain} ${judgement.threads.join()}`
    : judgement.kind;

const isCertain = (judgement: StuckJudgement) => "certain" in judgement && judgement.certain;
const isSuspicious = (judgement: StuckJudgement) => "certain" in judgement;

const without = (reason: string): CapturedStacks => ({ threads: [], method: "none", notes: [reason] });

const fact = (make: (context: StuckDetectorContext) => StuckFact) =>
  sendTo(parentRef, ({ context }: { context: StuckDetectorContext }) => make(context));

export const stuckDetectorMachine = setup({
  types: {
    context: {} as StuckDetectorContext,
    input: {} as StuckDetectorInput,
    events: {} as StuckDetectorEvent,
  },
  actors: {
    sample: callbackActor<StuckDetectorInput>("stuck_detector.sample"),
    captureStacks: slot<CapturedStacks, CaptureInput>("stuck_detector.capture_stacks"),
    proveLoop: slot<LoopProof, ProveInput>("stuck_detector.prove_loop"),
  },
  /** In ms. */
  delays: {
    silence: ({ context: { asked } }) => asked === 0 ? firstSilence : shortestPause,
    /** A tree that waits or works for long is looked at less often. */
    pause: ({ context: { judgement, hits, measured: { pauseMs }, told } }) => {
      const eager = isSuspicious(judgement) && !told;
      const calm = eager ? shortestPause : Math.min(longestPause, shortestPause * 1.2 ** (hits - 1));
      return Math.max(calm, pauseMs);
    },
    sampling: 20_000,
    capture: 30_000,
    proof: 10_000,
  },
  guards: {
    isAsked: ({ context: { asked } }, { number }: { number: number }) => number === asked,
    isDisturbed: ({ context: { asked, disturbed } }, { number }: { number: number }) =>
      disturbed && number === asked,
    isGone: ({ context: { judgement } }) => judgement.kind === "gone",
    isProven: ({ context: { judgement, hits } }) => isCertain(judgement) && hits >= certainHits,
    isLoopDue: ({ context: { judgement, hits, proofDue } }) =>
      judgement.kind === "infinite_loop" && judgement.alone && hits >= proofDue,
    isSuspected: ({ context: { judgement, hits, told, proofDue } }) =>
      !told && isSuspicious(judgement) && !isCertain(judgement) &&
      hits >=
        (judgement.kind === "infinite_loop"
          ? Math.max(proofDue, firstProof)
          : proofDue > briefProof
          ? proofDue
          : suspiciousHits),
    isLoop: ({ context: { judgement } }) => judgement.kind === "infinite_loop",
    isBrief: ({ context: { hits } }) => hits < firstProof,
    isCertain: ({ context: { judgement } }) => isCertain(judgement),
    isTold: ({ context: { told } }) => told,
    /** Owners of locks, or the language's own runtime, tell a cycle. */
    hasCycle: (_, { stacks }: { stacks: CapturedStacks }) => (stacks.cycle?.length ?? 0) > 0,
    isRefuted: ({ context: { judgement } }, { stacks }: { stacks: CapturedStacks }) =>
      judgement.kind === "deadlock" && stacks.refuted === true,
    provesLoop: (_, { proof }: { proof: LoopProof }) => proof.proven,
  },
  actions: {
    askForSample: assign({ asked: ({ context }) => context.asked + 1 }),
    sendToSampler: sendTo("sampler", ({ context }) => ({ type: "sampler.sample", number: context.asked })),
    note: assign(({ context }, { taken }: { taken: SampleTaken }) => {
      const isSame = keyOf(taken.judgement) === keyOf(context.judgement);
      return {
        judgement: taken.judgement,
        measured: measuredBy(taken, context.measured, isSame),
        hits: isSame ? context.hits + 1 : 1,
      };
    }),
    noteStacks: assign(({ context: { measured } }, { stacks }: { stacks: CapturedStacks }) => ({
      stacks,
      measured: withFigures(measured, {
        verdictAfterMs: measured.figures.provenAfterMs + (stacks.tookMs ?? 0),
      }),
    })),
    noteProof: assign(({ context: { judgement, measured } }, { proof }: { proof: LoopProof }) => ({
      proof,
      judgement: { ...judgement, certain: true, detail: proof.detail } as StuckJudgement,
      measured: withFigures(measured, {
        provenAfterMs: measured.figures.provenAfterMs + (proof.tookMs ?? 0),
      }),
    })),
    noteCycle: assign(({ context: { judgement } }) => ({
      judgement: { ...judgement, certain: true } as StuckJudgement,
    })),
    putOffProof: assign({
      proofDue: ({ context: { judgement, hits } }) =>
        judgement.kind === "infinite_loop" && hits < firstProof ? firstProof : Math.max(firstProof, hits) * 3,
    }),
    forget: assign({ hits: 0, proofDue: briefProof, judgement: { kind: "working" } }),
    tellCertain: fact(({ judgement, stacks, measured: { figures } }) => ({
      type: "stuck.certain",
      judgement,
      stacks: stacks!,
      figures,
    })),
    tellSuspected: fact(({ judgement, stacks }) => ({
      type: "stuck.suspected",
      judgement,
      ...(stacks === undefined ? {} : { stacks }),
    })),
    disturb: assign({ disturbed: true }),
    settle: assign({ disturbed: false }),
    noteTold: assign({ told: true }),
    tellCleared: fact(() => ({ type: "stuck.cleared" })),
    noteCleared: assign({ told: false, stacks: undefined }),
    tellNotWatched: sendTo(
      parentRef as (args: { self: AnyActorRef }) => AnyActorRef,
      (_, { reason }: { reason: string }): StuckFact => ({ type: "stuck.not_watched", reason }),
    ),
  },
}).createMachine({
  id: "stuckDetector",
  description: "Watches a silent process tree, and tells when it is stuck.",
  context: ({ input }) => ({
    ...input,
    asked: 0,
    judgement: { kind: "working" },
    hits: 0,
    measured: unmeasured,
    told: false,
    proofDue: briefProof,
    stacks: undefined,
    proof: undefined,
    disturbed: false,
  }),
  invoke: {
    id: "sampler",
    src: "sample",
    input: ({ context: { pid, runner, deadlineAt } }) => ({
      pid,
      deadlineAt,
      ...(runner === undefined ? {} : { runner }),
    }),
    onError: {
      target: ".notWatched",
      actions: { type: "tellNotWatched", params: ({ event }) => ({ reason: messageOf(event.error) }) },
    },
  },
  on: {
    "watch.end": ".ended",
    "sampler.failed": {
      target: ".notWatched",
      actions: { type: "tellNotWatched", params: ({ event }) => ({ reason: event.reason }) },
    },
  },
  initial: "watching",
  states: {
    watching: {
      // Whatever prints goes on.
      on: {
        output: [
          { guard: "isTold", target: ".quiet", actions: ["tellCleared", "noteCleared", "forget"] },
          { target: ".quiet", actions: "forget" },
        ],
      },
      initial: "quiet",
      states: {
        quiet: { after: { silence: "sampling" } },
        sampling: {
          entry: ["askForSample", "sendToSampler"],
          on: {
            "sample.taken": [
              {
                guard: { type: "isDisturbed", params: ({ event }) => ({ number: event.number }) },
                target: "pausing",
                actions: "settle",
              },
              {
                guard: { type: "isAsked", params: ({ event }) => ({ number: event.number }) },
                target: "judging",
                actions: { type: "note", params: ({ event }) => ({ taken: event }) },
              },
            ],
          },
          after: {
            sampling: {
              target: "#stuckDetector.notWatched",
              actions: { type: "tellNotWatched", params: { reason: "the sampler does not answer" } },
            },
          },
        },
        judging: {
          always: [
            { guard: "isGone", target: "#stuckDetector.ended" },
            { guard: "isProven", target: "#stuckDetector.capturing" },
            { guard: "isLoopDue", target: "proving" },
            // Stacks of what computes prove nothing, and taking them would stop it.
            {
              guard: and(["isSuspected", "isLoop"]),
              target: "pausing",
              actions: ["tellSuspected", "noteTold"],
            },
            { guard: "isSuspected", target: "examining" },
            {
              guard: ({ context: { told, hits, judgement } }) =>
                told && hits === 1 && !isSuspicious(judgement),
              target: "pausing",
              actions: ["tellCleared", "noteCleared"],
            },
            "pausing",
          ],
        },
        pausing: { after: { pause: "sampling" } },
        /** Tests whether the state of a thread that computes repeats. */
        proving: {
          entry: "disturb",
          invoke: {
            src: "proveLoop",
            input: ({ context: { pid, judgement, hits } }) => ({
              pid,
              tid: judgement.kind === "infinite_loop" ? judgement.threads[0]! : pid,
              brief: hits < firstProof,
            }),
            onDone: [
              {
                guard: { type: "provesLoop", params: ({ event }) => ({ proof: event.output }) },
                target: "#stuckDetector.capturing",
                actions: { type: "noteProof", params: ({ event }) => ({ proof: event.output }) },
              },
              { guard: or(["isTold", "isBrief"]), target: "pausing", actions: "putOffProof" },
              { target: "pausing", actions: ["putOffProof", "tellSuspected", "noteTold"] },
            ],
            onError: [
              { guard: or(["isTold", "isBrief"]), target: "pausing", actions: "putOffProof" },
              { target: "pausing", actions: ["putOffProof", "tellSuspected", "noteTold"] },
            ],
          },
          after: {
            proof: [
              { guard: or(["isTold", "isBrief"]), target: "pausing", actions: "putOffProof" },
              { target: "pausing", actions: ["putOffProof", "tellSuspected", "noteTold"] },
            ],
          },
        },
        /** Looks at the stacks of what is suspected: owners of locks may prove it. */
        examining: {
          entry: "disturb",
          invoke: {
            src: "captureStacks",
            input: ({ context: { pid, judgement } }) => ({ pid, judgement, mayEnd: false }),
            onDone: [
              {
                guard: { type: "hasCycle", params: ({ event }) => ({ stacks: event.output }) },
                target: "#stuckDetector.certain",
                actions: [
                  { type: "noteStacks", params: ({ event }) => ({ stacks: event.output }) },
                  "noteCycle",
                ],
              },
              {
                guard: { type: "isRefuted", params: ({ event }) => ({ stacks: event.output }) },
                target: "pausing",
                actions: "putOffProof",
              },
              {
                target: "pausing",
                actions: [
                  { type: "noteStacks", params: ({ event }) => ({ stacks: event.output }) },
                  "putOffProof",
                  "tellSuspected",
                  "noteTold",
                ],
              },
            ],
            onError: { target: "pausing", actions: ["putOffProof", "tellSuspected", "noteTold"] },
          },
          after: { capture: { target: "pausing", actions: ["putOffProof", "tellSuspected", "noteTold"] } },
        },
      },
    },
    /** A proof stands: output that still comes was printed before. */
    capturing: {
      invoke: {
        src: "captureStacks",
        input: ({ context: { pid, judgement, proof } }) => ({
          pid,
          judgement,
          mayEnd: true,
          ...(proof === undefined ? {} : { proof }),
        }),
        onDone: {
          target: "certain",
          actions: { type: "noteStacks", params: ({ event }) => ({ stacks: event.output }) },
        },
        onError: {
          target: "certain",
          actions: {
            type: "noteStacks",
            params: ({ event }) => ({ stacks: without(messageOf(event.error)) }),
          },
        },
      },
      after: {
        capture: {
          target: "certain",
          actions: { type: "noteStacks", params: { stacks: without("taking the stacks took too long") } },
        },
      },
    },
    certain: { type: "final", entry: "tellCertain" },
    notWatched: { type: "final" },
    ended: { type: "final" },
  },
});
