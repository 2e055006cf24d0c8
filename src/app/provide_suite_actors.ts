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
import { judgeAgentRunActor } from "../actors/tests/judge_agent_run_actor.ts";
import { judgeStepActor } from "../actors/tests/judge_step_actor.ts";
import { judgeTest } from "../actors/tests/judge_test.ts";
import { explainOpening } from "../actors/connection/explain_opening.ts";
import { openConnection } from "../actors/connection/open_connection.ts";
import { performStep } from "../actors/connection/perform_step.ts";
import { ping } from "../actors/connection/ping.ts";
import type { GetSession } from "../actors/promise_actor.ts";
import { endRetainedActor, runServerCheckActor } from "../actors/tests/run_server_check_actor.ts";
import { cleanUpTest, prepareAgentRun, prepareTest, verifyTest } from "../actors/tests/test_actors.ts";
import { watchConnection } from "../actors/connection/watch_connection.ts";
import { captureServerStacks, hangInspectionActors } from "../actors/stuck/hang_inspection_actors.ts";

/** Looks at servers that owe an answer. */
export const provideServerInspection = (stage: GetSession) =>
  hangInspectionMachine.provide({
    actors: hangInspectionActors(stage, ({ connections }, of) =>
      "connectionId" in of ? connections.pids.get(of.connectionId) : undefined),
  });

/** @param open Starts a server instance; default: one of the plugin under test. */
export function providePoolActors(stage: GetSession, open = openConnection(stage)) {
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

export const provideAgentRunActors = (stage: GetSession) =>
  agentRunMachine.provide({
    actors: {
      prepare: prepareAgentRun(stage),
      verify: verifyTest(stage),
      judge: judgeAgentRunActor(stage),
      cleanUp: cleanUpTest(stage),
    },
  });

/** @param promptTest Machine of tests that an agent works on; where absent, none do. */
export function provideSuiteActors(stage: GetSession, promptTest = promptTestMachine) {
  const test = testMachine.provide({
    actors: {
      check: runServerCheckActor(stage),
      endRetained: endRetainedActor(stage),
      prepare: prepareTest(stage),
      verify: verifyTest(stage),
      ping: ping(stage),
      inspect: provideServerInspection(stage),
      captureStacks: captureServerStacks(stage),
      judge: judgeTest(stage),
      judgeStep: judgeStepActor(stage),
      cleanUp: cleanUpTest(stage),
    },
  });
  const order = orderMachine.provide({ actors: { test } });
  return suiteMachine.provide({ actors: { test, promptTest, order } });
}
