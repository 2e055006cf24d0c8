/** Commands in a container: by its agent, else by the engine. */
import { constants } from "node:os";
import { posix } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PthError } from "../../core/errors.ts";
import { abortSentinel, raceAbort } from "../../core/waiting.ts";
import { collectOutputs, type ExitStatus } from "../../platform/process.ts";
import { untilClosed } from "../../platform/streams.ts";
import type { ExecOptions } from "../runtime.ts";
import type { AgentCommand } from "../shared/agent/create_agent_command.ts";
import { agentOf, type ContainerAgent } from "./container_agent.ts";
import {
  abortWithin,
  type ContainerExec,
  cutShort,
  endMarked,
  endOf,
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
export const execInContainer = async (
  inside: ContainerExec,
  command: readonly string[],
  options: ExecOptions = {},
): Promise<ExecResult> =>
  await execByAgent(inside, command, options) ?? await execInside(inside, command, options);

/** Undefined where it is sure that the command has not begun. */
async function execByAgent(
  inside: ContainerExec,
  command: readonly string[],
  options: ExecOptions,
): Promise<ExecResult | undefined> {
  const { signal, stdin } = options;
  signal?.throwIfAborted();
  const started = performance.now();
  const found = await raceAbort(agentOf(inside), signal);
  if (found === abortSentinel) throw signal!.reason;
  const cwd = options.cwd ?? inside.sourcePath;
  // As after the `cd` of the shell that the engine's way takes.
  const env = { ...options.env, PWD: posix.resolve("/", cwd), OLDPWD: "/" };
  if (found === undefined || !isSendable([...command, cwd, ...Object.entries(env).flat()])) return undefined;
  const made = found.agent.order({ command, cwd, env, stdin: stdin !== undefined });
  if (made === undefined) return undefined;
  const whole = Promise.all([untilClosed(made.stdout), untilClosed(made.stderr)]);
  const gathered = collectOutputs(made, options);
  if (stdin !== undefined) made.stdin.end(stdin);
  const status = await found.holdWhile(unlessAborted(inside, made, signal));
  if (await made.started === "not begun") return undefined;
  if (status === undefined) throw await lossOf(inside, found, made.mark, command);
  made.discard(); // a child in the background may hold the pipes for ever
  await whole;
  const code = codeOf(status);
  if (code === killed) await requireRunningContainer(inside, command);
  return { code, signal: null, ...gathered(), durationMs: performance.now() - started };
}

const isSendable = (words: readonly string[]): boolean => !words.some((word) => word.includes("\0"));

/** Returns the code that the engine gives for this end. */
const codeOf = ({ code, signal }: ExitStatus): number =>
  code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? Number(signal?.slice("SIG".length)));

async function unlessAborted(
  inside: ContainerExec,
  made: AgentCommand,
  signal: AbortSignal | undefined,
): Promise<ExitStatus | undefined> {
  const first = await raceAbort(made.settled, signal);
  if (first !== abortSentinel) return first;
  const ending = made.started.then(() => made.signal("SIGKILL")).then(() => made.settled).then(() => true);
  // The agent may be stopped, as the command may be.
  if (await Promise.race([ending, sleep(abortWithin)]) !== true) {
    await endMarked(inside, made.mark).catch(() => {}); // what is asked next tells of an engine that is gone
  }
  made.discard();
  throw signal!.reason;
}

/** Codes of an agent whose connection was cut: its own at the end of its stdin, and the engine's words for a loss. */
const endsByItself = [0, notWritten, stillRuns];

/** Makes the error of a command without an end: its container, the connection to the engine, or the agent is gone. */
async function lossOf(
  inside: ContainerExec,
  { exec, isSilent }: ContainerAgent,
  mark: string,
  command: readonly string[],
): Promise<PthError> {
  await requireRunningContainer(inside, command);
  const { code } = await endOf(exec);
  if (!isSilent && endsByItself.includes(code)) return await cutShort(inside, command, mark);
  await endMarked(inside, mark);
  await requireRunningContainer(inside, command); // one that is just being removed ends its processes first
  const state = isSilent ? "does not answer any more" : `was ended inside the container (exit code ${code})`;
  return new PthError("EXEC_FAILED", `Cannot finish ${command[0]}: the agent that ran it ${state}`, {
    transient: false, // it may have begun
    next: [
      "Look for what in the plugin, its tests or its hooks ends or stops all processes: kill -1, killall",
    ],
  });
}
