/** Files and folders between host and box, streamed through a command inside, so that links resolve inside. */
import { dirname, posix } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { EnvironmentHandle } from "../../../machines/model/environment.ts";
import { PthError } from "../../errors.ts";
import { chmod, mkdir, stat } from "../../platform/files.ts";
import { collect, type ExitStatus, spawnProcess } from "../../platform/process.ts";
import { readStream, writeStream } from "../../platform/streams.ts";
import { execIn, mustLive, startIn } from "./enter.ts";

interface Flow {
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  exited: Promise<ExitStatus>;
}

export const copyIntoBox = (handle: EnvironmentHandle, from: string, envPath: string): Promise<void> =>
  named(handle, `Cannot copy ${from} to ${envPath} of the environment`, async () => {
    const info = await stat(from);
    const to = posix.resolve(handle.sourcePath, envPath);
    if (info.isDirectory) {
      // The target first: a small source may have ended before anyone listens to it.
      const untar = await flow(handle, 'mkdir -p -- "$1" && tar --no-same-owner -xpf - -C "$1"', to);
      const tar = await spawnProcess(["tar", "-C", from, "-cf", "-", "."]);
      tar.stdin.end();
      await joined(tar, untar);
    } else {
      const mode = ((info.mode ?? 0o644) & 0o777).toString(8);
      const script = 'mkdir -p -- "$(dirname -- "$1")" && cat >"$1" && chmod "$2" "$1"';
      const target = await flow(handle, script, to, mode);
      await Promise.all([poured(readStream(from), target.stdin), ended(target, true)]);
    }
  });

export const copyOutOfBox = (handle: EnvironmentHandle, envPath: string, to: string): Promise<void> =>
  named(handle, `Cannot copy ${envPath} of the environment to ${to}`, async () => {
    const from = posix.resolve(handle.sourcePath, envPath);
    const kind = await execIn(handle, ["stat", "-L", "-c", "%F|%a", from], { cwd: "/" });
    if (kind.code !== 0) throw new Error(kind.stderr.trim());
    const [type, mode] = kind.stdout.trim().split("|");
    if (type === "directory") {
      await mkdir(to, { recursive: true });
      const source = await flow(handle, 'tar -C "$1" -cf - .', from);
      source.stdin.end();
      await joined(source, await spawnProcess(["tar", "--no-same-owner", "-xf", "-", "-C", to]));
    } else {
      await mkdir(dirname(to), { recursive: true });
      const source = await flow(handle, 'cat -- "$1"', from);
      source.stdin.end();
      await Promise.all([pipeline(source.stdout, writeStream(to)), ended(source)]);
      await chmod(to, Number.parseInt(mode!, 8) & 0o777);
    }
  });

const flow = async (handle: EnvironmentHandle, script: string, ...args: string[]): Promise<Flow> =>
  (await startIn(handle, ["sh", "-c", script, "sh", ...args], { cwd: "/" })).child;

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
    await mustLive(handle); // the end of its box is no fault of the copy's
    throw new PthError("COPY_FAILED", `${action}: ${(cause as Error).message}`, {}, { cause });
  }
}
