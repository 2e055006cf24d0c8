/**
 * Inspects a process tree that owes an answer, once, shortly before the wait for it ends: samples until two agree, then stacks
 * where they cost little. Its parent hears each finding at once, so that a limit that comes first loses nothing. It ends nothing.
 *
 * Invoked by whoever waits: a test, a call, a connection that is being opened, the session of an agent.
 */
import { and, assign, sendTo, setup } from "xstate";
import { messageOf } from "./message_of.ts";
import type { HangInspection } from "./model/stuck.ts";
import { parentRef } from "./parent_ref.ts";
import { callbackActor, slot } from "./slot.ts";

export interface HangInspectionInput {
  /** Processes to inspect: those of a connection's server, or of an agent's session. */
  of: { connectionId: string } | { requestId: string };
  /** Time in ms until the wait ends. */
  leftMs: number;
}

/** Answers of the sampler, which lives as long as the inspection and takes `sampler.sample`. */
export type HangSamplerEvent =
  | { type: "hang.sampled"; inspection: HangInspection }
  | { type: "hang.not_sampled"; reason: string };

/** Fact for the parent, which waits for the answer. */
export type HangFact = { type: "hang.inspected"; inspection: HangInspection };

export interface QuickStacksInput extends Pick<HangInspectionInput, "of"> {
  inspection: HangInspection;
}

interface HangInspectionContext extends HangInspectionInput {
  inspection: HangInspection | undefined;
  samples: number;
  /** Samples in a row that say the same. */
  hits: number;
}

/** Longest time in ms before the end of a wait at which processes are inspected. */
const leadMs = 3000;
/** The first sample has nothing to be compared with. */
const firstMeaningful = 2;
const mostSamples = 5;
const enoughHits = 2;

/** Time in ms for which a wait goes on before processes are inspected. */
export const calmMs = (limitMs: number): number => Math.max(limitMs / 2, limitMs - leadMs);
/** Time in ms that is left to an inspection that begins after {@link calmMs}. */
export const inspectionMs = (limitMs: number): number => limitMs - calmMs(limitMs);

const keyOf = ({ kind, threads }: HangInspection) => [kind, ...threads.map(({ tid }) => tid)].join();

const unseen = (reason: string): HangInspection => ({
  kind: "not_inspected",
  says: `not inspected: ${reason}`,
  threads: [],
});

const tellNoted = {
  type: "tell",
  params: ({ context }: { context: { inspection: HangInspection | undefined } }) => ({
    inspection: context.inspection!,
  }),
} as const;

export const hangInspectionMachine = setup({
  types: {
    context: {} as HangInspectionContext,
    input: {} as HangInspectionInput,
    events: {} as HangSamplerEvent,
  },
  actors: {
    sample: callbackActor<HangInspectionInput>("hang_inspection.sample"),
    /** Resolves to the inspection with the frames of its threads, as far as they can be had. */
    captureStacks: slot<HangInspection, QuickStacksInput>("hang_inspection.capture_stacks"),
  },
  /** In ms. */
  delays: { pause: 250, capture: 700, left: ({ context }) => context.leftMs },
  guards: {
    isFirst: ({ context }) => context.samples < firstMeaningful,
    isGone: (_, { inspection }: { inspection: HangInspection }) => inspection.kind === "gone",
    isPremature: ({ context: { inspection, hits } }) => inspection?.certain === true && hits < enoughHits,
    isEnough: ({ context: { hits } }) => hits >= enoughHits,
    isLast: ({ context: { samples } }) => samples >= mostSamples,
  },
  actions: {
    countSample: assign({ samples: ({ context }) => context.samples + 1 }),
    sendToSampler: sendTo("sampler", { type: "sampler.sample" }),
    note: assign(({ context }, { inspection }: { inspection: HangInspection }) => ({
      inspection,
      hits: context.inspection !== undefined && keyOf(context.inspection) === keyOf(inspection)
        ? context.hits + 1
        : 1,
    })),
    tell: sendTo(
      parentRef,
      (_, { inspection }: { inspection: HangInspection }): HangFact => ({
        type: "hang.inspected",
        inspection,
      }),
    ),
  },
}).createMachine({
  id: "hangInspection",
  description: "Inspects a process tree that owes an answer, once.",
  context: ({ input }) => ({ ...input, inspection: undefined, samples: 0, hits: 0 }),
  entry: { type: "tell", params: { inspection: unseen("the limit came first") } },
  invoke: {
    id: "sampler",
    src: "sample",
    input: ({ context: { of, leftMs } }) => ({ of, leftMs }),
    onError: {
      target: ".over",
      actions: { type: "tell", params: ({ event }) => ({ inspection: unseen(messageOf(event.error)) }) },
    },
  },
  on: {
    "hang.not_sampled": {
      target: ".over",
      actions: { type: "tell", params: ({ event }) => ({ inspection: unseen(event.reason) }) },
    },
  },
  after: { left: ".over" },
  initial: "sampling",
  states: {
    sampling: {
      entry: ["countSample", "sendToSampler"],
      on: {
        "hang.sampled": [
          {
            guard: { type: "isGone", params: ({ event: { inspection } }) => ({ inspection }) },
            target: "over",
            actions: { type: "tell", params: ({ event: { inspection } }) => ({ inspection }) },
          },
          { guard: "isFirst", target: "pausing" },
          {
            target: "weighing",
            actions: { type: "note", params: ({ event: { inspection } }) => ({ inspection }) },
          },
        ],
      },
    },
    /** A certain finding is reported once a second sample agrees. */
    weighing: {
      always: [
        { guard: "isEnough", target: "capturing", actions: tellNoted },
        { guard: and(["isLast", "isPremature"]), target: "over" },
        { guard: "isLast", target: "over", actions: tellNoted },
        { guard: "isPremature", target: "pausing" },
        { target: "pausing", actions: tellNoted },
      ],
    },
    pausing: { after: { pause: "sampling" } },
    capturing: {
      invoke: {
        src: "captureStacks",
        input: ({ context: { of, inspection } }) => ({ of, inspection: inspection! }),
        onDone: {
          target: "over",
          actions: { type: "tell", params: ({ event }) => ({ inspection: event.output }) },
        },
        // What was told stands without them.
        onError: "over",
      },
      after: { capture: "over" },
    },
    over: { type: "final" },
  },
});
