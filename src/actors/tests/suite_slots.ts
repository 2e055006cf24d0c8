/** The slots of tests and agent runs: what a suite needs besides servers. */
import type { GetSession } from "../promise_actor.ts";
import { judgeAgentRunActor } from "./judge_agent_run_actor.ts";
import { judgeStepActor } from "./judge_step_actor.ts";
import { judgeTest } from "./judge_test.ts";
import { endRetainedActor, runServerCheckActor } from "./run_server_check_actor.ts";
import { cleanUpTest, prepareAgentRun, prepareTest, verifyTest } from "./test_actors.ts";

export const suiteSlots = (stage: GetSession) => ({
  check: runServerCheckActor(stage),
  endRetained: endRetainedActor(stage),
  prepare: prepareTest(stage),
  prepareAgentRun: prepareAgentRun(stage),
  verify: verifyTest(stage),
  judge: judgeTest(stage),
  judgeStep: judgeStepActor(stage),
  judgeAgentRun: judgeAgentRunActor(stage),
  cleanUp: cleanUpTest(stage),
});

export type SuiteSlots = ReturnType<typeof suiteSlots>;
