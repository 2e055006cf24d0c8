/** Slots `agent_session.check` and `.tear_down`: commands in the project once the agent has ended. */
import type { CheckOutcome } from "../../../machines/model/agent_fixture.ts";
import type { AgentWorkInput } from "../../../machines/agent_session/agent_session_setup.ts";
import { errorMessage } from "../../core/errors.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";
import type { AgentLogs } from "./agent_logs.ts";
import { failureOfCommand, runInProject } from "./run_in_project.ts";

/** Runs each check within its own limit; what keeps one from running is its outcome. */
export const checkProject = (stage: GetSession, logs: AgentLogs) =>
  promiseActor<Record<string, CheckOutcome>, AgentWorkInput>(
    stage,
    async (live, { requestId, run: { checks = [] } }, signal) => {
      const folders = logs.of(requestId).folders!;
      const outcomes: Record<string, CheckOutcome> = {};
      for (const { name, script, timeoutMs } of checks) {
        const limit = AbortSignal.timeout(timeoutMs);
        try {
          const { code, stdout, stderr } = await runInProject(
            live,
            folders,
            script,
            AbortSignal.any([signal, limit]),
          );
          outcomes[name] = { code, stdout, stderr };
        } catch (error) {
          signal.throwIfAborted();
          outcomes[name] = {
            problem: limit.aborted ? `it took more than ${timeoutMs / 1000} s` : errorMessage(error),
          };
        }
      }
      return outcomes;
    },
  );

/** Runs all commands, whatever comes of one; resolves to the failures. */
export const tearDownProject = (stage: GetSession, logs: AgentLogs) =>
  promiseActor<string[], AgentWorkInput>(
    stage,
    async (live, { requestId, run: { teardown = [] } }, signal) => {
      const folders = logs.of(requestId).folders!;
      const problems: string[] = [];
      for (const command of teardown) {
        const result = await runInProject(live, folders, command, signal);
        if (result.code !== 0) problems.push(`teardown: ${failureOfCommand(command, result)}`);
      }
      return problems;
    },
  );
