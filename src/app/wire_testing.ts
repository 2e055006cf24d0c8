/** The machines that speak to servers and run tests, their slots filled: the same for a session and for the exported runner. */
import {
  agentRunMachine,
  connectionMachine,
  poolMachine,
  suiteMachine,
  testMachine,
} from "../../machines/mod.ts";
import { callTool } from "../actors/connection/call_tool.ts";
import { closeConnection } from "../actors/connection/close_connection.ts";
import { judgeAgentRun } from "../actors/tests/judge_agent_run.ts";
import { judgeStep } from "../actors/tests/judge_step.ts";
import { judgeTest } from "../actors/tests/judge_test.ts";
import { openConnection } from "../actors/connection/open_connection.ts";
import { performStep } from "../actors/connection/perform_step.ts";
import { ping } from "../actors/connection/ping.ts";
import type { Stage } from "../actors/promise_actor.ts";
import { runCheck } from "../actors/tests/run_check.ts";
import { cleanUpTest, prepareAgentRun, prepareTest, verifyTest } from "../actors/tests/test_commands.ts";
import { watchConnection } from "../actors/connection/watch_connection.ts";

/** @param open Starts a server instance; default: one of the plugin under test. */
export function wirePool(stage: Stage, open = openConnection(stage)) {
  const connection = connectionMachine.provide({
    actors: {
      open,
      watch: watchConnection(stage),
      call: callTool(stage),
      perform: performStep(stage),
      close: closeConnection(stage),
    },
  });
  return poolMachine.provide({ actors: { connection } });
}

export const wireAgentRun = (stage: Stage) =>
  agentRunMachine.provide({
    actors: {
      prepare: prepareAgentRun(stage),
      verify: verifyTest(stage),
      judge: judgeAgentRun(stage),
      cleanUp: cleanUpTest(stage),
    },
  });

export function wireSuite(stage: Stage) {
  const test = testMachine.provide({
    actors: {
      check: runCheck(stage),
      prepare: prepareTest(stage),
      verify: verifyTest(stage),
      ping: ping(stage),
      judge: judgeTest(stage),
      judgeStep: judgeStep(stage),
      cleanUp: cleanUpTest(stage),
    },
  });
  return suiteMachine.provide({ actors: { test } });
}
