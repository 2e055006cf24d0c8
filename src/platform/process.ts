/**
 * Child processes of the host, the same on Deno and Node.
 *
 * `node:child_process` serves both runtimes: `@deno/shim-deno` has no `Deno.Command`.
 */
import { spawn as nodeSpawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { PthError } from "../core/errors.ts";

export interface ExitStatus {
  /** Exit code, or null when a signal ended the process. */
  code: number | null;
  signal: string | null;
}

export interface SpawnOptions {
  cwd?: string;
  /** Added to the inherited variables. */
  env?: Record<string, string>;
  /** Start from no variables at all. */
  clearEnv?: boolean;
  /** Lead a process group of its own, so that `kill` reaches its children and a terminal's Ctrl-C does not. */
  ownGroup?: boolean;
}

/** A running process with its three pipes. */
export interface HostProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the process has ended and its pipes are drained; never rejects. */
  readonly exited: Promise<ExitStatus>;
  /** Resolves when the process itself has ended; a child that it left may still hold its pipes. Never rejects. */
  readonly ended: Promise<ExitStatus>;
  /** Signals the process, or its whole group when it leads one. A process that is gone is no error. */
  kill(signal?: NodeJS.Signals): void;
}

/**
 * Starts a process.
 * @throws {PthError} `EXEC_FAILED` when the program cannot be started (not found, not executable).
 */
export async function spawnProcess(
  command: readonly string[],
  options: SpawnOptions = {},
): Promise<HostProcess> {
  const [program, ...args] = command;
  if (program === undefined) throw new PthError("EXEC_FAILED", "Cannot start process: the command is empty");
  const child = nodeSpawn(program, args, {
    stdio: ["pipe", "pipe", "pipe"],
    detached: options.ownGroup ?? false,
    env: options.clearEnv ? { ...options.env } : { ...process.env, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const exited = new Promise<ExitStatus>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  const ended = new Promise<ExitStatus>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  // A pipe whose reader is gone must not end PTH.
  child.stdin.on("error", () => child.stdin.destroy());
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause) =>
      reject(
        new PthError("EXEC_FAILED", `Cannot start ${program}: ${cause.message}`, {
          tried: [command.join(" ")],
        }, {
          cause,
        }),
      ));
  });
  const pid = child.pid!;
  return {
    pid,
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    exited,
    ended,
    kill: (signal = "SIGTERM") => signalProcess(options.ownGroup ? -pid : pid, signal),
  };
}

/** Signals a pid (or, negative, a group); false when there is none any more. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === "ESRCH") return false;
    throw error;
  }
}

export interface RunOptions extends SpawnOptions {
  stdin?: string | Uint8Array;
  /** Ends the process group with SIGKILL; `run` then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** On that signal ask first with SIGTERM, for a program that tidies up, and wait so long (ms) before SIGKILL. */
  grace?: number;
  /** Called with each piece of output as it comes. */
  onOutput?: (text: string, stream: "stdout" | "stderr") => void;
  /** Keep at most this many bytes of each stream (the last ones); default 16 MiB. */
  maxBytes?: number;
}

export interface RunResult extends ExitStatus {
  stdout: string;
  stderr: string;
  /** True when output was longer than `maxBytes` and its beginning is missing. */
  truncated: boolean;
  durationMs: number;
}

/**
 * Runs a process to its end. A non-zero exit is a result, not an error.
 * @throws {PthError} `EXEC_FAILED` when the program cannot be started.
 */
export async function runCommand(command: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { stdin, signal, grace = 0, onOutput: _heard, maxBytes: _kept, ...spawnOptions } = options;
  signal?.throwIfAborted();
  const started = performance.now();
  const child = await spawnProcess(command, { ownGroup: true, ...spawnOptions });
  let last: ReturnType<typeof setTimeout> | undefined;
  const abort = () => {
    child.kill(grace > 0 ? "SIGTERM" : "SIGKILL");
    if (grace > 0) last = setTimeout(() => child.kill("SIGKILL"), grace);
  };
  signal?.addEventListener("abort", abort, { once: true });
  const gathered = collectOutputs(child, options);
  child.stdin.end(stdin);
  const status = await child.exited;
  clearTimeout(last);
  signal?.removeEventListener("abort", abort);
  signal?.throwIfAborted();
  return { ...status, ...gathered(), durationMs: performance.now() - started };
}

/** Gathers both outputs of a process from now on; the answer tells what has come so far. */
export function collectOutputs(
  { stdout, stderr }: { stdout: Readable; stderr: Readable },
  { onOutput, maxBytes }: Pick<RunOptions, "onOutput" | "maxBytes">,
): () => Pick<RunResult, "stdout" | "stderr" | "truncated"> {
  const out = collect(stdout, maxBytes, onOutput && ((text) => onOutput(text, "stdout")));
  const err = collect(stderr, maxBytes, onOutput && ((text) => onOutput(text, "stderr")));
  return () => ({
    stdout: out.text(),
    stderr: err.text(),
    truncated: out.truncated() || err.truncated(),
  });
}

/** Gathers a stream's text, keeping only its last `maxBytes`. */
export function collect(stream: Readable, maxBytes = 16 * 1024 * 1024, onText?: (text: string) => void) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let cut = false;
  const decoder = onText && new TextDecoder();
  stream.on("data", (chunk: Uint8Array) => {
    chunks.push(chunk);
    size += chunk.byteLength;
    while (size - chunks[0]!.byteLength >= maxBytes && chunks.length > 1) {
      size -= chunks.shift()!.byteLength;
      cut = true;
    }
    onText?.(decoder!.decode(chunk, { stream: true }));
  });
  return {
    text: () => {
      const all = new Uint8Array(size);
      let offset = 0;
      for (const chunk of chunks) {
        all.set(chunk, offset);
        offset += chunk.byteLength;
      }
      return new TextDecoder().decode(size > maxBytes ? all.subarray(size - maxBytes) : all);
    },
    truncated: () => cut || size > maxBytes,
  };
}

/** A word as a POSIX shell reads it back unchanged. */
export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
