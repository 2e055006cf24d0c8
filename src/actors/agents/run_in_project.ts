/** Shell commands of tests in an agent's project. */
import type { ExecResult } from "../../../machines/model/environment_operations.ts";
import { oneLine } from "../../core/text.ts";
import type { SessionResources } from "../session_resources.ts";
import type { AgentFolders } from "./agent_folders.ts";
import { pluginVariables } from "./server_for_agent.ts";

/** Bytes of each stream that are kept. */
const longestOutput = 256 * 1024;

type Ended = Pick<ExecResult, "code" | "signal" | "stdout" | "stderr" | "truncated">;

interface ScriptInput {
  /** `$1` … */
  args?: readonly string[];
  /** Absent: it gets none. */
  stdin?: string;
}

/** Runs it with the agent's own home, which it makes where there is none yet; its output is without secrets. */
export async function runInProject(
  live: SessionResources,
  { project, home, temporary }: AgentFolders,
  script: string,
  signal: AbortSignal,
  { args = [], stdin }: ScriptInput = {},
): Promise<Ended> {
  const { runtime, info: { handle } } = live.environment.require();
  const words = ["sh", "-c", script, "sh", ...args];
  const { code, signal: ended, stdout, stderr, truncated } = await runtime.exec(handle, words, {
    cwd: project,
    ...(stdin === undefined ? {} : { stdin }),
    env: { ...pluginVariables(live), HOME: home, TMPDIR: temporary },
    signal,
    maxBytes: longestOutput,
  });
  return live.secrets.redact.value({ code, signal: ended, stdout, stderr, truncated });
}

/** Names the command, how it ended, and the end of what it said. */
export function failureOfCommand(
  command: string,
  { code, signal, stdout, stderr }: Omit<Ended, "truncated">,
): string {
  const ended = code === null ? `was ended by ${signal}` : `exited with ${code}`;
  const said = (stderr.trim() === "" ? stdout : stderr).trim().slice(-400);
  return `\`${oneLine(command)}\` ${ended}${said === "" ? "" : `: ${said}`}`;
}
