/** Reasons why a session of an agent failed, in words. */
import type { AgentExit, AgentSessionRequest, AgentStop, RequestDrift } from "../model/agent_session.ts";
import type { PlaybookEnd } from "../model/playbook.ts";

interface EndedSession {
  /** Absent: the process did not end when it was stopped. */
  exit: AgentExit | undefined;
  stopped: AgentStop | undefined;
  run: Pick<AgentSessionRequest, "agent" | "timeoutMs" | "acceptDrift">;
  played: PlaybookEnd;
  drift: readonly RequestDrift[];
}

/** Failures of the playbook first: an agent that was refused ends with an error of its own. */
export function agentFailures(
  { exit, stopped, run: { agent, timeoutMs, acceptDrift = false }, played, drift }: EndedSession,
): string[] {
  const reasons: Record<AgentStop, string> = {
    "timed-out": `${agent} was stopped: it ran for more than ${timeoutMs / 1000} s`,
    silent: `${agent} was stopped: it has not asked the model for anything; ` +
      "it may wait for a login, a permission or its servers",
    repeating: `${agent} was stopped: it went on after the playbook had refused its request`,
    "over-budget": `${agent} was stopped before it could ask the model again`,
    lingering: `${agent} was stopped: it did not end after its last answer`,
  };
  return [
    ...played.failures.map(({ kind, message }) => `${kind === "upstream" ? kind : "playbook"}: ${message}`),
    ...(stopped === undefined ? [] : [reasons[stopped]]),
    ...(exit === undefined ? [`${agent} could not be stopped`] : []),
    ...(stopped === undefined && exit !== undefined ? exitFailure(agent, exit) : []),
    ...(drift.length === 0 || acceptDrift ? [] : [
      `the requests are not as they were recorded (${
        drift.length === 1 ? "1 difference" : `${drift.length} differences`
      })`,
    ]),
  ];
}

function exitFailure(agent: string, { code, signal, stderr }: AgentExit): string[] {
  if (code === 0) return [];
  const words = stderr.trim().split("\n").slice(-5).join("\n");
  const ended = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
  return [words === "" ? `${agent} ${ended}` : `${agent} ${ended}: ${words}`];
}
