/** The machines that speak to servers and run tests, their slots filled: the same for a session and for the exported runner. */
import {
  agentRunMachine,
  connectionMachine,
  hangInspectionMachine,
  orderMachine,
  poolMachine,
  promptTestMachine,
  suiteMachine,
  testMachine,
} from "../../machines/mod.ts";
import { callToolActor } from "../actors/connection/call_tool_actor.ts";
import { closeConnection } from "../actors/connection/close_connection.ts";
import { explainOpening } from "../actors/connection/explain_opening.ts";
import type { openConnection } from "../actors/connection/open_connection.ts";
import { performStep } from "../actors/connection/perform_step.ts";
import { ping } from "../actors/connection/ping.ts";
import { measurePace } from "../actors/tests/measure_pace.ts";
import type { GetSession } from "../actors/promise_actor.ts";
import type { SuiteSlots } from "../actors/tests/suite_slots.ts";
import { watchConnection } from "../actors/connection/watch_connection.ts";
import { captureServerStacks, hangInspectionActors } from "../actors/stuck/hang_inspection_actors.ts";

/** Looks at servers that owe an answer. */
export const provideServerInspection = (stage: GetSession) =>
  hangInspectionMachine.provide({
    actors: hangInspectionActors(stage, ({ connections }, of) =>
      "connectionId" in of ? connections.pids.get(of.connectionId) : undefined),
  });

/** @param open Starts a server instance. */
export function providePoolActors(stage: GetSession, open: ReturnType<typeof openConnection>) {
  const connection = connectionMachine.provide({
    actors: {
      open,
      inspect: provideServerInspection(stage),
      explainOpening: explainOpening(stage),
      watch: watchConnection(stage),
      call: callToolActor(stage),
      perform: performStep(stage),
      close: closeConnection(stage),
    },
  });
  return poolMachine.provide({ actors: { connection } });
}

export const provideAgentRunActors = (
  { prepareAgentRun: prepare, verify, judgeAgentRun: judge, cleanUp }: SuiteSlots,
) => agentRunMachine.provide({ actors: { prepare, verify, judge, cleanUp } });

/** @param promptTest Machine of tests that an agent works on; where absent, none do. */
export function provideSuiteActors(
  stage: GetSession,
  { check, endRetained, prepare, verify, judge, judgeStep, cleanUp }: SuiteSlots,
  promptTest = promptTestMachine,
) {
  const test = testMachine.provide({
    actors: {
      check,
      endRetained,
      prepare,
      verify,
      ping: ping(stage),
      inspect: provideServerInspection(stage),
      captureStacks: captureServerStacks(stage),
      judge,
      judgeStep,
      cleanUp,
    },
  });
  const order = orderMachine.provide({ actors: { test } });
  return suiteMachine.provide({ actors: { test, promptTest, order, measurePace } });
}
