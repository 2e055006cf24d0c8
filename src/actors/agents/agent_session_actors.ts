/** The slots of the agent session machine. */
import { hangInspectionMachine } from "../../../machines/hang_inspection_machine.ts";
import { lazyActors, lazyCallback } from "../lazy_actors.ts";
import type { GetSession } from "../promise_actor.ts";
import { hangInspectionActors } from "../stuck/hang_inspection_actors.ts";
import { AgentLogs } from "./agent_logs.ts";

export function agentSessionActors(stage: GetSession) {
  const logs = new AgentLogs();
  return {
    serve: lazyCallback(
      async () => (await import("./serve_playbook.ts")).servePlaybook(stage, logs),
      (error) => ({ type: "model.failed", error }),
    ),
    ...lazyActors(
      { setUp: "promise", prepare: "promise", collect: "promise", check: "promise", tearDown: "promise" },
      async () => (await import("./agent_work.ts")).agentWork(stage, logs),
    ).actors,
    work: lazyCallback(
      async () => (await import("./run_agent.ts")).runAgent(stage, logs),
      (error) => ({ type: "agent.failed", error }),
    ),
    inspect: hangInspectionMachine.provide({
      actors: hangInspectionActors(
        stage,
        (_live, of) => "requestId" in of ? logs.of(of.requestId).pid : undefined,
      ),
    }),
  };
}
