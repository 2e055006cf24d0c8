/** The slots of the agent session machine. */
import { hangInspectionMachine } from "../../../machines/hang_inspection_machine.ts";
import type { GetSession } from "../promise_actor.ts";
import { hangInspectionActors } from "../stuck/hang_inspection_actors.ts";
import { AgentLogs } from "./agent_logs.ts";
import { checkProject, tearDownProject } from "./check_project.ts";
import { collectTrace } from "./collect_trace.ts";
import { prepareAgent } from "./prepare_agent.ts";
import { runAgent } from "./run_agent.ts";
import { servePlaybook } from "./serve_playbook.ts";
import { setUpProject } from "./set_up_project.ts";

export function agentSessionActors(stage: GetSession) {
  const logs = new AgentLogs();
  return {
    serve: servePlaybook(stage, logs),
    setUp: setUpProject(stage, logs),
    prepare: prepareAgent(stage, logs),
    work: runAgent(stage, logs),
    inspect: hangInspectionMachine.provide({
      actors: hangInspectionActors(
        stage,
        (_live, of) => "requestId" in of ? logs.of(of.requestId).pid : undefined,
      ),
    }),
    collect: collectTrace(stage, logs),
    check: checkProject(stage, logs),
    tearDown: tearDownProject(stage, logs),
  };
}
