/** What the parts of the runtime contract share. */
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import type { Readable } from "node:stream";
import type { Test } from "tap";
import type { EnvironmentHandle, EnvironmentSpec, NetworkMode } from "../../../machines/model/environment.ts";
import { PthError } from "../../../src/core/errors.ts";
import type { EnvironmentRuntime, Leftover } from "../../../src/runtimes/runtime.ts";

/** What a runtime's own test hands to the contract. */
export interface Subject {
  runtime: EnvironmentRuntime;
  spec: EnvironmentSpec;
  /** The definition's `leftovers`, to prove that nothing stays. */
  leftovers?: () => Promise<Leftover[]>;
  /** The definition's `networks`, to prove that they are what it says. */
  networks?: readonly NetworkMode[];
  /** How much output a command gives in one go, in MB; default 20. Less where each MB takes seconds. */
  outputMB?: number;
}

export interface Living extends Subject {
  handle: EnvironmentHandle;
}

/** A part of the contract, run against one living environment. */
export type Part = (t: Test, living: Living) => Promise<void>;

export const shell = (living: Living, script: string, handle = living.handle) =>
  living.runtime.exec(handle, ["sh", "-c", script]);

/** Text of a script's output without its last newline; a non-zero exit fails the test. */
export async function text(t: Test, living: Living, script: string, handle = living.handle): Promise<string> {
  const result = await shell(living, script, handle);
  t.equal(result.code, 0, `${script}: exits with 0 ${result.stderr}`);
  return result.stdout.replace(/\n$/, "");
}

/** The error of a promise that must reject with this code. */
export async function rejectsWith(t: Test, promise: Promise<unknown>, code: string): Promise<void> {
  const error = await promise.then(() => undefined, (cause: unknown) => cause);
  t.ok(error instanceof PthError, `rejects with a PthError (${code}), got ${error}`);
  t.equal((error as PthError | undefined)?.code, code);
}

/** Number of processes inside whose command line holds the word. */
export async function processesWith(living: Living, word: string): Promise<number> {
  const pattern = `[${word[0]}]${word.slice(1)}`; // not found in the command line that looks for it
  const script = `grep -al '${pattern}' /proc/[0-9]*/cmdline 2>/dev/null | wc -l`;
  return Number((await shell(living, script)).stdout.trim());
}

/** Waits until the condition holds; says whether it came to hold within `limitMs`, which is long for a slow machine. */
export async function eventually(condition: () => Promise<boolean>, limitMs = 30_000): Promise<boolean> {
  const end = Date.now() + limitMs;
  while (Date.now() < end) {
    if (await condition()) return true;
    await wait(50);
  }
  return await condition();
}

/** Reads until so many bytes have come. */
export async function readBytes(stream: Readable, count: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const done = new Promise<void>((resolve, reject) => {
    stream.on("data", (chunk: Buffer) => {
      chunks.push(Buffer.from(chunk));
      size += chunk.length;
      if (size >= count) resolve();
    });
    stream.once("end", () => reject(new Error(`the stream ended after ${size} of ${count} bytes`)));
  });
  if (count > 0) await done;
  return Buffer.concat(chunks);
}

/** A listener on a free port of the host's loopback. */
export async function listenOnHost(): Promise<{ port: number; server: Server }> {
  const server = createServer((socket) => socket.end());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as { port: number }).port, server };
}

/**
 * A port that nobody listens on, and that nobody gets meanwhile: systems give ports from 32768 on to who asks for any, PTH
 * gives those up to 30999, and tests that run beside this one have others of those between.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 31_000 + (process.pid * 8 + portsTaken++) % 1_700;
    const server = createServer().listen(port, "127.0.0.1");
    const listens = await once(server, "listening").then(() => true, () => false); // somebody else does
    if (!listens) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
let portsTaken = 0;

let counter = 0;
/** A word that no other process of the machine carries. */
export const unique = (): string => `8${process.pid}${Date.now() % 100000}${counter++}`;

/** A check that cannot be made here, with its reason in the output. */
export const skipped = (t: Test, reason: string): void => void t.pass("not checked", { skip: reason });
