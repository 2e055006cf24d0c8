/** Reasons why a session of an agent failed, in words. */
import type {
  AgentDialog,
  AgentExit,
  AgentSessionRequest,
  AgentStop,
  RequestDrift,
} from "../model/agent_session.ts";
import type { HangInspection } from "../model/stuck.ts";
import type { PlaybookEnd } from "../model/playbook.ts";

/** Words of the usual parsers of command lines. */
const unknownOption = /\bunknown (option|argument|flag)|\bunexpected argument|\bunrecognized option/i;

interface EndedSession {
  /** Absent: the process did not end when it was stopped. */
  exit: AgentExit | undefined;
  stopped?: AgentStop;
  /** Dialog that was shown last; absent: none. */
  dialog?: AgentDialog;
  /** Inspection of the agent before its limit. */
  inspection?: HangInspection;
  /** Version of the agent; absent: it has none. */
  version: string | undefined;
  /** Factor of the time until the first request. */
  slowness?: number;
  run: Pick<AgentSessionRequest, "agent" | "timeoutMs" | "acceptDrift">;
  played: PlaybookEnd;
  drift: readonly RequestDrift[];
  pendingHooks?: readonly string[];
}

/** Time that an agent may take until its first request, in ms. */
export const firstRequestMs = (slowness = 1): number => 60_000 * slowness;

/** Failures of the playbook first: an agent that was refused ends with an error of its own. */
export function agentFailures(
  { exit, stopped, dialog, inspection, version, slowness, run, played, drift, pendingHooks = [] }:
    EndedSession,
): string[] {
  const { agent, timeoutMs, acceptDrift = false } = run;
  const patience = Math.min(firstRequestMs(slowness), timeoutMs) / 1000;
  const hooks = pendingHooks.length === 0 ? "" : `; its hooks had not ended: ${pendingHooks.join(", ")}`;
  const seen = inspection === undefined ? "" : `; ${inspection.says}`;
  const isSeen = inspection !== undefined && inspection.kind !== "not_inspected";
  const reasons: Record<AgentStop, string> = {
    "timed-out": `${agent} was stopped: it ran for more than ${timeoutMs / 1000} s${hooks}${seen}`,
    silent: `${agent} was stopped: it has not asked the model for anything within ${patience} s` +
      (hooks === "" && !isSeen ? "; it may wait for a login, a permission or its servers" : hooks) + seen,
    asking: `${agent} was stopped: it waits for a person` +
      (dialog === undefined ? "" : ` (${dialog.kind}): ${JSON.stringify(dialog.words)}`) +
      (version === undefined
        ? "; start it so that it asks nobody"
        : `; PTH starts it so that it asks nobody, but version ${version} does: take another version`),
    repeating: `${agent} was stopped: it went on after the playbook had refused its request`,
    "over-budget": `${agent} was stopped before it could ask the model again`,
    lingering: `${agent} was stopped: it did not end after its last answer${hooks}`,
  };
  return [
    ...played.failures.map(({ kind, message }) => `${kind === "upstream" ? kind : "playbook"}: ${message}`),
    ...(stopped === undefined ? [] : [reasons[stopped]]),
    ...(exit === undefined ? [`${agent} could not be stopped`] : []),
    ...(stopped === undefined && exit !== undefined ? exitFailure(agent, version, exit) : []),
    ...(drift.length === 0 || acceptDrift ? [] : [
      `the requests are not as they were recorded (${
        drift.length === 1 ? "1 difference" : `${drift.length} differences`
      })`,
    ]),
  ];
}

function exitFailure(
  agent: string,
  version: string | undefined,
  { code, signal, stderr }: AgentExit,
): string[] {
  if (code === 0) return [];
  const words = stderr.trim().split("\n").slice(-5).join("\n");
  const ended = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
  const next = version !== undefined && unknownOption.test(words)
    ? `; version ${version} does not know an option that PTH gives it: take another version`
    : "";
  return [words === "" ? `${agent} ${ended}` : `${agent} ${ended}: ${words}${next}`];
}
