/** Slots `agent_session.check` and `.tear_down`: commands in the project once the agent has ended. */
import { Buffer } from "node:buffer";
import type { CheckOutcome } from "../../../machines/model/agent_fixture.ts";
import type {
  AgentWorkInput,
  SessionCheckInput,
} from "../../../machines/agent_session/agent_session_setup.ts";
import { errorMessage } from "../../core/errors.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";
import type { AgentLogs } from "./agent_logs.ts";
import { failureOfCommand, runInProject } from "./run_in_project.ts";

/** Bytes of a session that a check is given at most. */
const longestSession = 16 * 1024 * 1024;

/** Runs each check within its own limit; what keeps one from running is its outcome. */
export const checkProject = (stage: GetSession, logs: AgentLogs) =>
  promiseActor<Record<string, CheckOutcome>, SessionCheckInput>(
    stage,
    async (live, { requestId, run: { checks = [] }, ...ended }, signal) => {
      const folders = logs.of(requestId).folders!;
      const outcomes: Record<string, CheckOutcome> = {};
      const session = checks.some(({ readsSession }) => readsSession) ? observedSession(ended) : undefined;
      for (const { name, script, args = [], readsSession, timeoutMs } of checks) {
        if (readsSession && session === undefined) {
          outcomes[name] = { problem: `the session is larger than ${longestSession / 1024 / 1024} MiB` };
          continue;
        }
        const limit = AbortSignal.timeout(timeoutMs);
        try {
          const { code, stdout, stderr, truncated } = await runInProject(
            live,
            folders,
            script,
            AbortSignal.any([signal, limit]),
            { args, ...(readsSession ? { stdin: session! } : {}) },
          );
          outcomes[name] = { code, stdout, stderr, ...(truncated ? { truncated } : {}) };
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

/** Session as a check reads it; undefined where it is too large. */
function observedSession(
  { collected, spent }: Pick<SessionCheckInput, "collected" | "spent">,
): string | undefined {
  const { trace, facts, modelInput } = collected;
  const json = JSON.stringify({
    format: "pth-observed-session/1",
    trace,
    tokens: facts?.tokens,
    spent,
    model_input: modelInput,
  });
  return Buffer.byteLength(json) > longestSession ? undefined : json;
}

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
