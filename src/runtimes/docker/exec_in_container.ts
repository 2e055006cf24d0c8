/** Commands in a container: by its agent, else by the engine. */
import { constants } from "node:os";
import { posix } from "node:path";
import type { PthError } from "../../core/errors.ts";
import type { ExitStatus } from "../../platform/process.ts";
import type { ExecOptions } from "../runtime.ts";
import type { CommandAgent } from "../shared/agent/command_agents.ts";
import { agentEnded } from "../shared/agent/agent_ended.ts";
import { execByAgent } from "../shared/agent/exec_by_agent.ts";
import { containerAgent } from "./container_agent.ts";
import {
  type ContainerExec,
  cutShort,
  endMarked,
  execInside,
  killed,
  notWritten,
  requireRunningContainer,
  stillRuns,
} from "./exec.ts";
import type { ExecResult } from "../../../machines/model/environment_operations.ts";

/**
 * Runs a command to its end; about 1 ms by the agent. The engine's exec runs what the agent did not begin.
 * @throws {PthError} `EXEC_FAILED`, `ENVIRONMENT_LOST`, `RUNTIME_UNAVAILABLE`
 */
export async function execInContainer(
  inside: ContainerExec,
  command: readonly string[],
  options: ExecOptions = {},
): Promise<ExecResult> {
  const cwd = options.cwd ?? inside.sourcePath;
  // As after the `cd` of the shell that the engine's way takes.
  const env = { ...options.env, PWD: posix.resolve("/", cwd), OLDPWD: "/" };
  const result = await execByAgent(containerAgent(inside), { command, cwd, env }, options, {
    // What is asked next tells of an engine that is gone.
    endMarked: (mark) => endMarked(inside, mark).catch(() => {}),
    lossOf: (agent, mark) => lossOf(inside, agent, mark, command),
  });
  if (result === undefined) return await execInside(inside, command, options);
  const code = codeOf(result);
  if (code === killed) await requireRunningContainer(inside, command);
  return { ...result, code, signal: null };
}

/** Returns the code that the engine gives for this end. */
const codeOf = ({ code, signal }: ExitStatus): number =>
  code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? Number(signal?.slice("SIG".length)));

/** Codes of an agent whose connection was cut: its own at the end of its stdin, and the engine's words for a loss. */
const endsByItself: (number | string)[] = [0, notWritten, stillRuns];

/** Makes the error of a command without an end: its container, the connection to the engine, or the agent is gone. */
async function lossOf(
  inside: ContainerExec,
  agent: CommandAgent,
  mark: string,
  command: readonly string[],
): Promise<PthError> {
  await requireRunningContainer(inside, command);
  const reason = await agent.process.endReason();
  if (!agent.isSilent && endsByItself.includes(reason)) return await cutShort(inside, command, mark);
  await endMarked(inside, mark);
  await requireRunningContainer(inside, command); // one that is just being removed ends its processes first
  return agentEnded(command, agent.isSilent, reason);
}
