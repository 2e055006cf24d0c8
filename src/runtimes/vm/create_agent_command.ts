/** One command that the agent runs: its pipes, with no more under way than the window allows, and its end. */
import { Buffer } from "node:buffer";
import { constants } from "node:os";
import type { ExitStatus } from "../../platform/process.ts";
import { number32 } from "../shared/frames.ts";
import { takenOutput, windowedInput } from "../shared/windowed_input.ts";
import { joinNul, window } from "./agent_script.ts";
import type { GuestCommand } from "./guest_runner.ts";

export interface AgentCommand extends GuestCommand {
  /** Once the agent has started it, or tried to; false when the connection was lost before. */
  readonly started: Promise<boolean>;
  /** A frame from the agent. */
  take(kind: string, payload: Buffer): void;
  /** The connection is gone. */
  lose(): void;
}

export function createAgentCommand(
  mark: string,
  send: (kind: string, payload?: Uint8Array) => void,
  forget: () => void,
): AgentCommand {
  const stdout = takenOutput(
    window,
    (bytes) => send("A", Buffer.concat([Buffer.from([1]), number32(bytes)])),
  );
  const stderr = takenOutput(
    window,
    (bytes) => send("A", Buffer.concat([Buffer.from([2]), number32(bytes)])),
  );
  const stdin = windowedInput(window, (piece) => send("I", piece));
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
