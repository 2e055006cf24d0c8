/** One command that the agent runs: its pipes, with no more under way than the window allows, and its end. */
import { Buffer } from "node:buffer";
import { constants } from "node:os";
import { Readable, Writable } from "node:stream";
import type { ExitStatus } from "../../platform/process.ts";
import { joinNul, number32, window } from "./agent_script.ts";
import type { GuestCommand } from "./guest_runner.ts";

export interface AgentCommand extends GuestCommand {
  /** Once the agent has started it, or tried to; false when the connection was lost before. */
  readonly started: Promise<boolean>;
  /** A frame from the agent. */
  take(kind: string, payload: Buffer): void;
  /** The connection is gone. */
  lose(): void;
}

/** The largest payload of one frame, in bytes. */
const pieceSize = 64 * 1024;

export function createAgentCommand(
  mark: string,
  send: (kind: string, payload?: Uint8Array) => void,
  forget: () => void,
): AgentCommand {
  const stdout = takenOutput((bytes) => send("A", Buffer.concat([Buffer.from([1]), number32(bytes)])));
  const stderr = takenOutput((bytes) => send("A", Buffer.concat([Buffer.from([2]), number32(bytes)])));
  const stdin = windowedInput((piece) => send("I", piece));
  const started = later<boolean>();
  const ended = later<ExitStatus | undefined>();
  const settled = later<ExitStatus | undefined>();
  let pid = 0;
  let status: ExitStatus | undefined;
  const open = new Set(["1", "2"]);
  const look = (quiet = false) => {
    if (status === undefined || (open.size > 0 && !quiet)) return;
    settled.resolve(status);
    if (open.size === 0) forget();
  };
  const hear = (kind: string, output: ReturnType<typeof takenOutput>, payload: Buffer) => {
    output.give(payload);
    if (payload.length > 0) return;
    open.delete(kind);
    look();
  };
  const frames: Record<string, (payload: Buffer) => void> = {
    P: (payload) => {
      pid = payload.readUInt32BE();
      started.resolve(true);
    },
    W: (payload) => stdin.taken(payload.readUInt32BE()),
    1: (payload) => hear("1", stdout, payload),
    2: (payload) => hear("2", stderr, payload),
    X: (payload) => {
      ended.resolve(status = statusOf(payload.readInt32BE()));
      stdin.close();
      look();
    },
    Q: () => look(true),
  };
  return {
    get pid() {
      return pid === 0 ? undefined : pid;
    },
    stdin: stdin.stream,
    stdout: stdout.stream,
    stderr: stderr.stream,
    started: started.promise,
    ended: ended.promise,
    settled: settled.promise,
    signal: (signal) => {
      if (pid !== 0) send("K", joinNul([String(constants.signals[signal]), String(pid), mark]));
      return Promise.resolve();
    },
    discard() {
      if (open.size > 0) send("D");
      for (const output of [stdout, stderr]) output.give(Buffer.alloc(0));
      forget();
    },
    take: (kind, payload) => frames[kind]?.(payload),
    lose() {
      started.resolve(false);
      ended.resolve(status);
      settled.resolve(undefined); // what was still to come of its outputs is lost
      stdin.close();
      for (const output of [stdout, stderr]) output.give(Buffer.alloc(0));
    },
  };
}

/** A negative number is a signal's, named as on any Linux. */
function statusOf(end: number): ExitStatus {
  if (end >= 0) return { code: end, signal: null };
  const name = Object.entries(constants.signals).find(([, number]) => number === -end)?.[0];
  return { code: null, signal: name ?? `SIG${-end}` };
}

function later<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((take) => resolve = take);
  return { promise, resolve };
}

/** Output whose progress at its reader is acknowledged to the guest, in quarters of the window. */
function takenOutput(acknowledge: (bytes: number) => void) {
  const waiting: (Buffer | null)[] = [];
  let wanted = true; // also before anybody reads: that there is something must be seen
  let over = false;
  let unsaid = 0;
  const pump = () => {
    while (wanted && waiting.length > 0) {
      const piece = waiting.shift()!;
      wanted = stream.push(piece);
      if (piece === null) return;
      unsaid += piece.length;
      if (unsaid < window / 4) continue;
      acknowledge(unsaid);
      unsaid = 0;
    }
  };
  const stream = new Readable({
    read() {
      wanted = true;
      pump();
    },
  });
  stream.on("error", () => {}); // its reader sees it
  return {
    stream,
    /** An empty piece is the end. */
    give(piece: Buffer) {
      if (over) return;
      over = piece.length === 0;
      waiting.push(over ? null : piece);
      pump();
    },
  };
}

/** An input that takes what the window has room for; one whose reader is gone takes everything, to nowhere. */
function windowedInput(send: (piece: Uint8Array) => void) {
  let room = window;
  let closed = false;
  let rest: { bytes: Buffer; done: () => void } | undefined;
  const pump = () => {
    while (rest !== undefined) {
      const { bytes, done } = rest;
      if (bytes.length === 0 || closed) {
        rest = undefined;
        return done();
      }
      const size = Math.min(bytes.length, pieceSize, room);
      if (size === 0) return;
      send(bytes.subarray(0, size));
      room -= size;
      rest = { bytes: bytes.subarray(size), done };
    }
  };
  const stream = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      rest = { bytes: Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength), done };
      pump();
    },
    final(done) {
      if (!closed) send(Buffer.alloc(0));
      done();
    },
  });
  return {
    stream,
    taken(bytes: number) {
      room += bytes;
      pump();
    },
    close() {
      closed = true;
      pump();
    },
  };
}
