/** Processes that run on the host's kernel on behalf of an environment (sandbox, host): exec and spawn for both. */
import { randomUUID } from "node:crypto";
import { PassThrough, type Readable } from "node:stream";
import { PthError } from "../../core/errors.ts";
import { collectOutputs, type ExitStatus, type HostProcess, spawnProcess } from "../../platform/process.ts";
import type { ExecOptions } from "../runtime.ts";
import { endTree } from "../../platform/proc.ts";
import { sleepInTicks, waitForIdle } from "../../platform/sleep_in_ticks.ts";
import { givenOutputs } from "../../platform/streams.ts";
import type { ExecResult } from "../../../machines/model/environment_operations.ts";

/** Command as the host's kernel sees it: its words, and all of its variables. */
export interface LocalCommand {
  words: readonly string[];
  env: Record<string, string>;
  cwd?: string;
}

/** The variable by which a command's processes are found again, also when they made a session of their own. */
export const execTag = "PTH_EXEC";

/**
 * Words that start a command in a folder, replaced by the command itself; exits with 127 when there is no such program
 * and 125 when there is no such folder, each named on stderr.
 * @param first What the shell that does it has to run before, ending with a semicolon.
 * @throws {PthError} `EXEC_FAILED` for an empty command
 */
export function commandInFolder(cwd: string, command: readonly string[], first = ""): string[] {
  if (command.length === 0 || command[0] === "") {
    throw new PthError("EXEC_FAILED", "Cannot run a command: the command is empty");
  }
  return ["sh", "-c", `${first}cd -- "$1" || exit 125; shift; exec "$@"`, "sh", cwd, ...command];
}

export async function execLocally(command: LocalCommand, options: ExecOptions): Promise<ExecResult> {
  const { signal, stdin } = options;
  signal?.throwIfAborted();
  const started = performance.now();
  const tag = { name: execTag, value: randomUUID() };
  const child = await start({ ...command, env: { ...command.env, [tag.name]: tag.value } });
  let ending: Promise<void> | undefined;
  const abort = () => ending ??= endTree(child.pid, tag);
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted) abort();
  const gathered = collectOutputs(child, options);
  child.stdin.end(stdin);
  const status = await settled(child);
  signal?.removeEventListener("abort", abort);
  await ending;
  signal?.throwIfAborted();
  return { ...status, ...gathered(), durationMs: performance.now() - started };
}

const start = ({ words, env, cwd }: LocalCommand): Promise<HostProcess> =>
  spawnProcess(words, { env, clearEnv: true, ownGroup: true, ...(cwd !== undefined && { cwd }) });

/**
 * Time for which a pipe must be quiet after its process ended before a background child no longer delays
 * `exec`, in ms.
 */
const quietMs = 300;

/**
 * The end of a process whose output is being collected. A background child may hold the pipes for ever (`server &`): once
 * the process itself has ended, output is awaited only as long as it keeps coming.
 */
async function settled(child: HostProcess): Promise<ExitStatus> {
  let heard = 0;
  for (const stream of [child.stdout, child.stderr]) stream.on("data", () => heard++);
  let closed = false;
  const drained = child.exited.then(() => void (closed = true));
  const status = await Promise.race([child.exited, child.ended]);
  await waitForIdle(quietMs, () => heard, drained);
  if (!closed) { for (const stream of [child.stdout, child.stderr]) stream.destroy(); }
  return status;
}

/**
 * A live process whose output waits for its reader. Node empties the pipes of a process that ended before anyone listened;
 * what a server says before it dies at once would be lost.
 */
export async function startLive(command: LocalCommand): Promise<HostProcess> {
  const child = await start(command);
  const [stdout, stderr] = [child.stdout.pipe(new PassThrough()), child.stderr.pipe(new PassThrough())];
  return { ...child, stdout, stderr, exited: exitedOf(child, [stdout, stderr]) };
}

/**
 * The end of a process: drained where its pipes close soon, else as soon as it is sure that they do not. What was
 * said is with its reader by then.
 */
async function exitedOf(child: HostProcess, outputs: readonly Readable[]): Promise<ExitStatus> {
  const status = await Promise.race([child.exited, child.ended]);
  await Promise.race([child.exited, sleepInTicks(quietMs)]);
  await givenOutputs(outputs, quietMs);
  return status;
}
