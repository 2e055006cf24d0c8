/**
 * Plays a playbook: chooses the turn that answers each request to the model, or has it passed on to a real one.
 *
 * Started by the agent session. The first request that no turn fits breaks it: this one and all that follow are refused
 * with the reason, so that the agent ends in place of asking for ever. Turns left at the end are failures as well.
 */
import { assign, enqueueActions, sendTo, setup } from "xstate";
import type {
  ChosenTurn,
  JudgedRequest,
  Playbook,
  PlaybookEnd,
  PlaybookFailure,
  SidePurpose,
} from "./model/playbook.ts";
import { parentRef } from "./parent_ref.ts";
import {
  type Choice,
  chooseTurn,
  initialState,
  type PlaybookState,
  type Spawn,
  turnsLeft,
} from "./playbook/choose_turn.ts";

export interface PlaybookInput {
  playbook: Playbook;
  /** Whether a real model answers in the playbook's place. */
  upstream?: boolean;
}

export type PlaybookEvent =
  | { type: "playbook.requested"; request: JudgedRequest }
  /** The chosen turn calls for a subagent. */
  | { type: "playbook.spawned"; spawn: Spawn }
  /** The request that was answered is not as the turn expects; the playbook goes on. */
  | { type: "playbook.contradicted"; message: string }
  /** The chosen turn cannot be played, or the real model not be asked. */
  | { type: "playbook.broke"; message: string; upstream?: boolean }
  | { type: "playbook.end" };

/** Facts for the agent session. */
export type PlaybookFact =
  | { type: "playbook.chose"; chosen: ChosenTurn }
  | { type: "playbook.passed"; requestId: string; side: SidePurpose }
  /** The real model is to answer. */
  | { type: "playbook.forwarded"; requestId: string }
  | { type: "playbook.refused"; requestId: string; message: string }
  | ({ type: "playbook.ended" } & PlaybookEnd);

interface PlaybookContext extends PlaybookInput {
  state: PlaybookState;
  failures: PlaybookFailure[];
  /** Reason for which all requests are refused from now on. */
  reason: string | undefined;
  played: number;
}

/** An agent that repeats one mistake must not fill the memory. */
const mostFailures = 100;

const tellParent = (fact: PlaybookFact) => fact;

export const playbookMachine = setup({
  types: {
    context: {} as PlaybookContext,
    input: {} as PlaybookInput,
    events: {} as PlaybookEvent,
  },
  actions: {
    answer: enqueueActions(({ enqueue }, { request, choice }: { request: JudgedRequest; choice: Choice }) => {
      const { requestId } = request;
      if (choice.kind === "play") {
        const { chosen, state } = choice;
        enqueue.assign({ state, played: ({ context }) => context.played + 1 });
        enqueue.sendTo(parentRef, tellParent({ type: "playbook.chose", chosen }));
      } else if (choice.kind === "side") {
        enqueue.sendTo(parentRef, tellParent({ type: "playbook.passed", requestId, side: request.side! }));
      }
    }),
    forward: enqueueActions(({ enqueue }, { requestId }: { requestId: string }) => {
      enqueue.assign({ played: ({ context }) => context.played + 1 });
      enqueue.sendTo(parentRef, tellParent({ type: "playbook.forwarded", requestId }));
    }),
    refuse: sendTo(
      parentRef,
      ({ context }, { requestId }: { requestId: string }) =>
        tellParent({ type: "playbook.refused", requestId, message: context.reason! }),
    ),
    /** Keeps the failure as the reason, too. */
    breakOff: assign(({ context }, { failure }: { failure: PlaybookFailure }) => ({
      failures: [...context.failures, failure],
      reason: failure.message,
    })),
    noteFailure: assign({
      failures: ({ context }, { failure }: { failure: PlaybookFailure }) =>
        context.failures.length < mostFailures ? [...context.failures, failure] : context.failures,
    }),
  },
  guards: {
    hasUpstream: ({ context }) => context.upstream === true,
    fits: ({ context: { playbook, state } }, { request }: { request: JudgedRequest }) =>
      chooseTurn(playbook, state, request).kind !== "refuse",
  },
}).createMachine({
  id: "playbook",
  description: "Scripted turns of a model, each chosen for a request.",
  context: ({ input }) => ({
    ...input,
    state: initialState(input.playbook),
    failures: [],
    reason: undefined,
    played: 0,
  }),
  initial: "playing",
  on: {
    "playbook.end": ".ended",
    "playbook.contradicted": {
      actions: {
        type: "noteFailure",
        params: ({ event }) => ({ failure: { kind: "expectation", message: event.message } }),
      },
    },
  },
  states: {
    playing: {
      on: {
        "playbook.requested": [
          {
            guard: "hasUpstream",
            actions: { type: "forward", params: ({ event }) => ({ requestId: event.request.requestId }) },
          },
          {
            guard: { type: "fits", params: ({ event }) => ({ request: event.request }) },
            actions: {
              type: "answer",
              params: ({ context: { playbook, state }, event: { request } }) => ({
                request,
                choice: chooseTurn(playbook, state, request),
              }),
            },
          },
          {
            target: "broken",
            actions: [
              {
                type: "breakOff",
                params: ({ context: { playbook, state }, event }) => ({
                  failure: refusalOf(chooseTurn(playbook, state, event.request)),
                }),
              },
              { type: "refuse", params: ({ event }) => ({ requestId: event.request.requestId }) },
            ],
          },
        ],
        "playbook.spawned": {
          actions: assign({
            state: ({ context: { state }, event: { spawn } }) => ({
              ...state,
              spawns: [...state.spawns, spawn],
            }),
          }),
        },
        "playbook.broke": {
          target: "broken",
          actions: {
            type: "breakOff",
            params: ({ event: { message, upstream } }) => ({
              failure: { kind: upstream === true ? "upstream" : "binding", message },
            }),
          },
        },
      },
    },
    broken: {
      on: {
        "playbook.requested": {
          actions: { type: "refuse", params: ({ event }) => ({ requestId: event.request.requestId }) },
        },
      },
    },
    ended: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { playbook, state, failures, reason, played } }) =>
          tellParent({
            type: "playbook.ended",
            failures: reason === undefined ? [...failures, ...turnsLeft(playbook, state)] : failures,
            played,
          }),
      ),
    },
  },
});

/** The failure of a choice that is a refusal. @throws {Error} for another */
function refusalOf(choice: Choice): PlaybookFailure {
  if (choice.kind === "refuse") return choice.failure;
  throw new Error(`Cannot refuse request: its choice is ${choice.kind}`);
}
