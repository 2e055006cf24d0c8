/** States of the iteration machine that make fixes, and that record what came of them. */
import { messageOf } from "../message_of.ts";
import { stepId } from "../task/task.ts";
import { iterationSetup } from "./iteration_setup.ts";
import { draftOf, type RefusedFix } from "./iteration_state.ts";

/** Applies one proposal after the other: each is made on top of the commit before. */
const fixing = iterationSetup.createStateConfig({
  entry: ["beginFixing", { type: "tellPhase", params: { phase: "fixing" } }],
  initial: "proposing",
  states: {
    proposing: {
      invoke: {
        src: "propose",
        input: ({ context: { run, turn, records } }) => ({
          number: turn!.number,
          run,
          diagnosis: turn!.diagnosis,
          records,
          index: turn!.fixed!.fixes.length + turn!.fixed!.refused.length,
        }),
        onDone: [
          {
            guard: { type: "isProposed", params: ({ event }) => event.output },
            target: "applying",
            actions: { type: "prepare", params: ({ event }) => ({ proposal: event.output.proposal }) },
          },
          {
            guard: { type: "isRefused", params: ({ event }) => event.output },
            target: "proposing",
            reenter: true,
            actions: [
              { type: "noteRefused", params: ({ event }) => event.output.refused! },
              { type: "tellRefused", params: ({ event }) => event.output.refused! },
            ],
          },
          {
            guard: "madeFixes",
            target: "#iteration.working.reloading",
            actions: { type: "noteFixed", params: ({ event }) => event.output },
          },
          {
            target: "#iteration.working.recording",
            actions: { type: "noteFixed", params: ({ event }) => event.output },
          },
        ],
      },
    },
    applying: {
      invoke: {
        id: stepId,
        src: "apply",
        input: ({ context: { prepared, caller } }) => ({
          request: {
            type: "session.apply_fix",
            request: prepared.proposal!,
            reload: false,
            save: false,
            caller,
          },
          cancelled: false,
        }),
        onDone: {
          target: "proposing",
          actions: [
            { type: "noteFix", params: ({ event }) => event.output },
            { type: "tellFix", params: ({ event }) => event.output },
          ],
        },
        onError: {
          guard: { type: "isRefusal", params: ({ event }) => event },
          target: "proposing",
          actions: [
            { type: "noteRefused", params: ({ context, event }) => refused(context, event.error) },
            { type: "tellRefused", params: ({ context, event }) => refused(context, event.error) },
          ],
        },
      },
    },
  },
});

const refused = (
  { prepared }: { prepared: { proposal?: { title: string } | undefined } },
  error: unknown,
): RefusedFix => ({ title: prepared.proposal!.title, reason: messageOf(error) });

const recording = iterationSetup.createStateConfig({
  entry: { type: "tellPhase", params: { phase: "recording" } },
  initial: "deciding",
  states: {
    deciding: { always: [{ guard: "isGreen", target: "droppingSnapshots" }, { target: "summarizing" }] },
    /** Once all tests pass, nothing is rolled back to the snapshots from before the fixes. */
    droppingSnapshots: {
      invoke: {
        id: stepId,
        src: "dropSnapshots",
        input: { request: { type: "session.work", kind: "drop_fix_snapshots", args: {} }, cancelled: false },
        onDone: "summarizing",
      },
    },
    summarizing: {
      invoke: {
        src: "summarize",
        input: ({ context: { run, turn, records } }) => ({
          draft: { ...draftOf(turn!), ...(run.distro === undefined ? {} : { distro: run.distro }) },
          records,
          groups: turn!.diagnosis?.groups ?? [],
        }),
        onDone: {
          target: "checkpointing",
          actions: { type: "prepare", params: ({ event }) => ({ summary: event.output }) },
        },
      },
    },
    checkpointing: {
      invoke: {
        id: stepId,
        src: "checkpoint",
        input: ({ context: { prepared } }) => ({
          request: { type: "session.work", kind: "checkpoint", args: prepared.summary!.checkpoint },
          cancelled: false,
        }),
        onDone: { target: "#iteration.working.recorded", actions: ["keepRecord", "tellRecord"] },
      },
    },
  },
});

export const fixStates = { fixing, recording };
