/** The slots of the agent session machine that are done once each, loaded when a session of an agent begins. */
import type { GetSession } from "../promise_actor.ts";
import type { AgentLogs } from "./agent_logs.ts";
import { checkProject, tearDownProject } from "./check_project.ts";
import { collectTrace } from "./collect_trace.ts";
import { prepareAgent } from "./prepare_agent.ts";
import { setUpProject } from "./set_up_project.ts";

export const agentWork = (stage: GetSession, logs: AgentLogs) => ({
  setUp: setUpProject(stage, logs),
  prepare: prepareAgent(stage, logs),
  collect: collectTrace(stage, logs),
  check: checkProject(stage, logs),
  tearDown: tearDownProject(stage, logs),
});
