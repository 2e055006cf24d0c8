/** Commands inside a container through the engine's hijacked exec: live pipes, exit codes, signals. */
import { setTimeout as sleep } from "node:timers/promises";
import { Buffer } from "node:buffer";
import { type Duplex, PassThrough, type Readable, Transform, Writable } from "node:stream";
import type { Exec } from "dockerode";
import { asPthError, PthError } from "../../core/errors.ts";
import { abortSentinel, raceAbort } from "../../core/waiting.ts";
import { collectOutputs } from "../../platform/process.ts";
import type { EnvironmentProcess, ExecOptions } from "../runtime.ts";
import { abortWithin } from "../shared/agent/exec_by_agent.ts";
import { inspectContainer } from "./container.ts";
import { lockAgainstPause } from "./pause_exclusively.ts";
import { demultiplex } from "./demultiplex.ts";
import { type Engine, engineError } from "./engine.ts";
import { givenOutputs, takeNumberLine } from "../../platform/streams.ts";
import type { ExecResult } from "../../../machines/model/environment_operations.ts";

/** Container, user and folder in which a command runs. */
export interface ContainerExec {
  engine: Engine;
  containerId: string;
  /** Folder of commands that name none. */
  sourcePath: string;
  /** True if its first process is systemd. */
  systemd?: boolean;
}

/** Variable that marks a command and all that it starts, so that they are found again to be ended. */
const mark = "PTH_EXEC";

/** A shell in between names a missing folder (126) or program (127) on stderr, whichever engine it is. */
export const plainly = 'cd -- "$1" || exit 126; shift; exec "$@"';
/** The same, and the first line tells the pid. The engine makes each command lead a process group of its own. */
const withPid = 'cd -- "$1" || exit 126; shift; echo $$; exec "$@"';

/** Limit of unread output of a live process, in bytes; beyond it the process has to wait. */
const pipeSize = 1024 * 1024;

/** A command that the engine has started. */
export interface EngineExec {
  exec: Exec;
  /** Stdin, and both outputs in the engine's frames. */
  socket: Duplex;
  /** Value of its mark. */
  id: string;
}

/**
 * Has the engine start a command.
 * @param wrapper Shell whose words are the folder and the command.
 * @throws {PthError} `EXEC_FAILED`, `ENVIRONMENT_LOST`, `RUNTIME_UNAVAILABLE`
 */
export async function startByEngine(
  inside: ContainerExec,
  wrapper: string,
  command: readonly string[],
  options: Pick<ExecOptions, "cwd" | "env">,
  stdin: boolean,
): Promise<EngineExec> {
  if (command.length === 0) {
    throw new PthError("EXEC_FAILED", "Cannot run a command: the command is empty");
  }
  const id = crypto.randomUUID();
  const env = { ...options.env, [mark]: id };
  const underway = await lockAgainstPause(inside.containerId);
  try {
    const exec = await inside.engine.getContainer(inside.containerId).exec({
      Cmd: ["sh", "-c", wrapper, "sh", options.cwd ?? inside.sourcePath, ...command],
      Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      WorkingDir: "/",
      AttachStdin: stdin,
      AttachStdout: true,
      AttachStderr: true,
    });
    underway.exec = exec;
    const socket = await exec.start({ hijack: true, stdin, Tty: false });
    socket.on("error", () => socket.destroy()); // the engine went away; `exited` tells
    for (const event of ["end", "close"]) socket.once(event, () => underway.ended());
    return { exec, socket, id };
  } catch (error) {
    underway.ended();
    throw engineError(error, `Cannot run ${command[0]}`, "EXEC_FAILED");
  }
}

/** Runs a command; about 20 ms through the API. */
export async function execInside(
  inside: ContainerExec,
  command: readonly string[],
  options: ExecOptions = {},
): Promise<ExecResult> {
  options.signal?.throwIfAborted();
  const started = performance.now();
  const starting = startByEngine(inside, plainly, command, options, options.stdin !== undefined);
  // Where the plugin stops everything around it, not even the beginning comes to an end.
  await unlessAborted(starting, options.signal, () => {
    starting.then(({ socket }) => socket.destroy(), () => {}); // its caller does not wait any more
  });
  const { exec, socket, id } = await starting;
  const { stdout, stderr, ended } = pipes(socket);
  const gathered = collectOutputs({ stdout, stderr }, options);
  if (options.stdin !== undefined) socket.end(Buffer.from(options.stdin));
  await unlessAborted(ended, options.signal, async () => {
    // What ends it runs inside as well, where the plugin may have stopped everything: the wait has an end.
    await Promise.race([endMarked(inside, id).then(() => ended), sleep(abortWithin)]);
    socket.destroy();
  });
  const end = await endOf(exec);
  const said = gathered();
  const isCut = wasCut(end, said.stderr !== "");
  if (isCut || end.code === killed || (inside.systemd && end.code === 143)) {
    await requireRunningContainer(inside, command);
  }
  if (isCut) throw await cutShort(inside, command, id);
  return { code: end.code, signal: null, ...said, durationMs: performance.now() - started };
}

/** Ends a command whose connection to the engine was lost, since its output has no reader any more, and makes the error. */
export async function cutShort(
  inside: ContainerExec,
  command: readonly string[],
  id: string,
): Promise<PthError> {
  await endMarked(inside, id).catch(() => {}); // an engine that is gone ends nothing: that it is, the next request tells
  const state = "the connection to the container engine was lost meanwhile";
  return new PthError("RUNTIME_UNAVAILABLE", `Cannot finish ${command[0]}: ${state}`, {
    transient: false, // it has begun already
  });
}

/**
 * Killed is also what a command is whose container or engine went away: that is no result of the command's.
 * @throws {PthError} `ENVIRONMENT_LOST`, `RUNTIME_UNAVAILABLE`
 */
export async function requireRunningContainer(
  inside: ContainerExec,
  command: readonly string[],
): Promise<void> {
  const action = `Cannot finish ${command[0]}`;
  let gone: string | undefined;
  try {
    gone = await whyGone(inside);
  } catch (error) {
    const { code, message, context } = asPthError(error);
    // It has begun already, which matters to a retry.
    throw new PthError(code, `${action}: ${message}`, { ...context, transient: false }, { cause: error });
  }
  if (gone !== undefined) throw new PthError("ENVIRONMENT_LOST", `${action}: ${gone}`);
}

async function whyGone(inside: ContainerExec): Promise<string | undefined> {
  const found = await inspectContainer(inside.engine, inside.containerId);
  if (found?.State.Running !== true) return "its container has ended";
  if (!inside.systemd || !await isGoingDown(inside)) return undefined;
  await untilStopped(inside);
  return "its machine goes down";
}

/** A machine that shuts down ends its processes first, this one too; then another program takes systemd's place. */
async function isGoingDown(inside: ContainerExec): Promise<boolean> {
  const look = ["sh", "-c", "cat /proc/1/comm; systemctl is-system-running"];
  const { stdout } = await execInside({ ...inside, systemd: false }, look, { cwd: "/" });
  return !/^systemd\n(running|degraded|starting|maintenance)/.test(stdout);
}

/** Time that a container may take from the end of its processes to its own, in ms. */
const stopsWithin = 30_000;

async function untilStopped({ engine, containerId }: ContainerExec): Promise<void> {
  const deadline = performance.now() + stopsWithin;
  while (performance.now() < deadline) {
    if ((await inspectContainer(engine, containerId))?.State.Running !== true) return;
    await sleep(50);
  }
}

/** Starts a process; resolves once the process runs. */
export async function spawnInside(
  inside: ContainerExec,
  command: readonly string[],
  options: Pick<ExecOptions, "cwd" | "env"> = {},
): Promise<EnvironmentProcess> {
  const { exec, socket, id } = await startByEngine(inside, withPid, command, options, true);
  const { stdout, stderr, ended, complained } = pipes(socket);
  const pid = await takeNumberLine(stdout);
  return {
    pid,
    stdin: stdinOf(socket),
    stdout,
    stderr,
    exited: ended.then(async () => {
      const end = await endOf(exec);
      const isCut = wasCut(end, complained());
      if (isCut) await endMarked(inside, id).catch(() => {}); // what is asked next tells of an engine that is gone
      await givenOutputs([stdout, stderr], readerMs);
      return { code: isCut ? killed : end.code, signal: null };
    }),
    kill: (signal, whom) =>
      whom === "leader" ? signalLeader(inside, pid, signal) : signalGroup(inside, pid, signal, id),
  };
}

/**
 * Time for which output may wait for its reader before the end of its process is reported all the same, in
 * ms.
 */
const readerMs = 300;

interface Pipes {
  stdout: Readable;
  stderr: Readable;
  ended: Promise<void>;
  /** Whether anything came on stderr. */
  complained(): boolean;
}

function pipes(socket: Duplex): Pipes {
  let complained = false;
  const stdout = new PassThrough({ highWaterMark: pipeSize });
  const stderr = new Transform({
    highWaterMark: pipeSize,
    transform(chunk, _encoding, done) {
      complained = true;
      done(null, chunk);
    },
  });
  const ended = new Promise<void>((resolve) => {
    socket.once("end", resolve);
    socket.once("close", resolve);
  });
  demultiplex(socket, stdout, stderr);
  return { stdout, stderr, ended, complained: () => complained };
}

/** Writing to a process that is gone is no error; ending closes its stdin and leaves its outputs open. */
function stdinOf(socket: Duplex): Writable {
  return new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      if (socket.destroyed || !socket.writable) return done();
      socket.write(chunk, () => done());
    },
    final(done) {
      socket.end();
      done();
    },
  });
}

/** The engine's word for a command that was killed; also reported for one whose container or engine went away. */
export const killed = 137;
/** Exit code of a command that could not be started, and of one that wrote to a lost connection. */
export const notWritten = 126;
/** Instead of a code. */
export const stillRuns = -1;

interface End {
  code: number;
  /**
   * True if it still seemed to run when its outputs had ended for this side: the engine ends them after the
   * command.
   */
  ranOn: boolean;
}

/** Whether the connection was lost, and words of the command's with it. One that could not be begun complains. */
const wasCut = ({ code, ranOn }: End, complained: boolean): boolean =>
  code === stillRuns || (code === notWritten && ranOn && !complained);

/** The end of a command whose outputs have ended. A busy engine takes seconds to know it. */
export async function endOf(exec: Exec): Promise<End> {
  for (let attempt = 0;; attempt++) {
    try {
      const { Running, ExitCode } = await exec.inspect();
      if (!Running && ExitCode !== null) return { code: ExitCode, ranOn: attempt > 0 };
      if (attempt === 500) return { code: stillRuns, ranOn: true };
    } catch {
      return { code: killed, ranOn: false }; // the container, or the engine, is gone
    }
    await sleep(attempt < 10 ? 3 : 20);
  }
}

async function unlessAborted(
  ended: Promise<unknown>,
  signal: AbortSignal | undefined,
  stop: () => Promise<void> | void,
): Promise<void> {
  if (await raceAbort(ended, signal) !== abortSentinel) return;
  await stop();
  signal!.throwIfAborted();
}

/** Ends by mark: children that left the process group carry it too. Repeated, as they may fork meanwhile. */
const endByMark = `for round in 1 2 3 4 5 6 7 8; do
  pids=$(grep -alF -- "${mark}=$1" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3)
  [ -n "$pids" ] || exit 0
  kill -KILL $pids 2>/dev/null
done`;

/** Ends what carries a mark, in bounded time. */
export async function endMarked(inside: ContainerExec, id: string): Promise<void> {
  await quietly(inside, ["sh", "-c", endByMark, "sh", id]);
}

async function signalGroup(
  inside: ContainerExec,
  pid: number | undefined,
  signal: NodeJS.Signals,
  id: string,
): Promise<void> {
  const group = pid === undefined ? "" : `kill -s "$2" -- "-$3" 2>/dev/null\n`;
  const rest = signal === "SIGKILL" ? endByMark : "";
  if (group + rest === "") return;
  await quietly(inside, ["sh", "-c", group + rest + "\n:", "sh", id, signal.replace(/^SIG/, ""), `${pid}`]);
}

async function signalLeader(
  inside: ContainerExec,
  pid: number | undefined,
  signal: NodeJS.Signals,
): Promise<void> {
  if (pid === undefined) return;
  const script = 'kill -s "$1" -- "$2" 2>/dev/null; :';
  await quietly(inside, ["sh", "-c", script, "sh", signal.replace(/^SIG/, ""), `${pid}`]);
}

/** A container that is gone has no processes left to signal; one where all is stopped may not hear of it in time. */
async function quietly(inside: ContainerExec, command: string[]): Promise<void> {
  try {
    await Promise.race([execInside({ ...inside, sourcePath: "/" }, command), sleep(abortWithin)]);
  } catch (error) {
    if (error instanceof PthError && error.code === "ENVIRONMENT_LOST") return;
    throw error;
  }
}
