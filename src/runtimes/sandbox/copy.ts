/** Files and folders between host and sandbox, streamed through a command inside, so that links resolve inside. */
import { posix } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { EnvironmentHandle } from "../../../machines/model/environment.ts";
import { PthError } from "../../core/errors.ts";
import { stat } from "../../platform/files.ts";
import { collect, type ExitStatus, signalProcess, spawnProcess } from "../../platform/process.ts";
import { readStream } from "../../platform/streams.ts";
import { copyMeter, notCopied, stoppable } from "../shared/copy_limits.ts";
import { saveTo, unpackTo } from "../shared/unpack.ts";
import { execIn, requireRunningSandbox, startIn } from "./exec_in_sandbox.ts";
import type { CopyLimits } from "../../../machines/model/environment_operations.ts";

interface Flow {
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  exited: Promise<ExitStatus>;
}

interface Started extends Flow {
  kill(): void;
}

export const copyIntoSandbox = (
  handle: EnvironmentHandle,
  from: string,
  envPath: string,
  signal?: AbortSignal,
): Promise<void> =>
  named(handle, `Cannot copy ${from} to ${envPath} of the environment`, async () => {
    const info = await stat(from);
    const to = posix.resolve(handle.sourcePath, envPath);
    if (info.isDirectory) {
      // The target first: a small source may have ended before anyone listens to it.
      const untar = await flow(handle, 'mkdir -p -- "$1" && tar --no-same-owner -xpf - -C "$1"', to);
      const tar = await spawnProcess(["tar", "-C", from, "-cf", "-", "."]);
      tar.stdin.end();
      await stoppable(joined(tar, untar), signal, untar.kill);
    } else {
      const mode = ((info.mode ?? 0o644) & 0o777).toString(8);
      const script = 'mkdir -p -- "$(dirname -- "$1")" && cat >"$1" && chmod "$2" "$1"';
      const target = await flow(handle, script, to, mode);
      const done = Promise.all([poured(readStream(from), target.stdin), ended(target, true)]);
      await stoppable(done, signal, target.kill);
    }
  });

export const copyOutOfSandbox = (
  handle: EnvironmentHandle,
  envPath: string,
  to: string,
  limits: CopyLimits = {},
): Promise<void> => {
  const action = `Cannot copy ${envPath} of the environment to ${to}`;
  return named(handle, action, async () => {
    const from = posix.resolve(handle.sourcePath, envPath);
    const looked = await execIn(handle, ["stat", "-L", "-c", "%F|%a|%s", from], { cwd: "/" });
    if (looked.code !== 0) throw new Error(looked.stderr.trim());
    const [type = "", mode = "644", size = "0"] = looked.stdout.trim().split("|");
    const order = { action, ...limits };
    if (type === "directory") {
      const source = await flow(handle, 'tar -C "$1" -cf - .', from);
      await fetched(source, unpackTo(source.stdout, to, { ...order, contents: true }));
    } else if (/^regular (empty )?file$/.test(type)) {
      copyMeter(order).addBytes(Number(size));
      const source = await flow(handle, 'cat -- "$1"', from);
      await fetched(source, saveTo(source.stdout, to, Number.parseInt(mode, 8), order));
    } else throw notCopied(action, envPath, type);
  });
};

/** Waits for both ends; what the sandbox says of its own failure comes first: half an archive cannot be unpacked either. */
async function fetched(source: Started, arriving: Promise<void>): Promise<void> {
  source.stdin.end();
  const sent = ended(source);
  // It is awaited below, or its end is PTH's own doing.
  sent.catch(() => {});
  try {
    await arriving;
  } catch (error) {
    // A limit ends it; what waits at a fifo would not end by itself.
    if (source.stdout.readableEnded) await sent;
    else source.kill();
    throw error;
  }
  await sent;
}

async function flow(handle: EnvironmentHandle, script: string, ...args: string[]): Promise<Started> {
  const { child, inside } = await startIn(handle, ["sh", "-c", script, "sh", ...args], { cwd: "/" });
  const { stdin, stdout, stderr, exited } = child;
  const kill = () => {
    if (inside !== undefined) signalProcess(-inside, "SIGKILL") || signalProcess(inside, "SIGKILL");
    child.kill("SIGKILL");
  };
  return { stdin, stdout, stderr, exited, kill };
}

const joined = (source: Flow, target: Flow) =>
  Promise.all([poured(source.stdout, target.stdin), ended(source), ended(target, true)]);

/** A target that ends early says why itself, by its exit code. */
async function poured(source: Readable, target: Writable): Promise<void> {
  try {
    await pipeline(source, target);
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code !== "EPIPE" && code !== "ERR_STREAM_PREMATURE_CLOSE" && code !== "ERR_STREAM_DESTROYED") {
      throw error;
    }
  }
}

async function ended(process: Flow, discardOutput = false): Promise<void> {
  const stderr = collect(process.stderr);
  if (discardOutput) process.stdout.resume();
  const { code, signal } = await process.exited;
  if (code !== 0) throw new Error(stderr.text().trim() || `ended with ${code ?? signal}`);
}

async function named(handle: EnvironmentHandle, action: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (cause instanceof PthError) throw cause;
    await requireRunningSandbox(handle); // the end of its sandbox is no fault of the copy's
    throw new PthError("COPY_FAILED", `${action}: ${(cause as Error).message}`, {}, { cause });
  }
}
