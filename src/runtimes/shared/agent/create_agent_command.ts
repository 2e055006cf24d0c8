/** One command that the agent runs: its pipes, with no more under way than the window allows, and its end. */
import { Buffer } from "node:buffer";
import { constants } from "node:os";
import type { ExitStatus } from "../../../platform/process.ts";
import { number32 } from "../frames.ts";
import { takenOutput, windowedInput } from "../windowed_input.ts";
import { joinNul, window } from "./agent_script.ts";
import type { InsideCommand } from "./inside_command.ts";

export interface AgentCommand extends InsideCommand {
  /** Words that the agent finds it by. */
  readonly mark: string;
  /** Once the agent has started it, or tried to; "not begun" where it leaves it to the host, "lost" where it did not say. */
  readonly started: Promise<"yes" | "not begun" | "lost">;
  /** A frame from the agent. @throws {Error} where it breaks the protocol */
  take(kind: string, payload: Buffer): void;
  /** The connection is gone. */
  lose(): void;
}

export function createAgentCommand(
  mark: string,
  send: (kind: string, payload?: Uint8Array) => void,
  forget: () => void,
): AgentCommand {
  const inTransit = { 1: 0, 2: 0 };
  const outputOf = (stream: 1 | 2) =>
    takenOutput(window, (bytes) => {
      inTransit[stream] -= bytes;
      send("A", Buffer.concat([Buffer.from([stream]), number32(bytes)]));
    });
  const [stdout, stderr] = [outputOf(1), outputOf(2)];
  const stdin = windowedInput(window, (piece) => send("I", piece));
  const started = later<Awaited<AgentCommand["started"]>>();
  const ended = later<ExitStatus | undefined>();
  const settled = later<ExitStatus | undefined>();
  let pid = 0;
  let status: ExitStatus | undefined;
  const open = new Set([1, 2]);
  const look = (quiet = false) => {
    if (status === undefined || (open.size > 0 && !quiet)) return;
    settled.resolve(status);
    if (open.size === 0) forget();
  };
  const hear = (stream: 1 | 2, output: ReturnType<typeof takenOutput>, payload: Buffer) => {
    inTransit[stream] += payload.length;
    if (inTransit[stream] > window) throw new RangeError("more output than the window has room for");
    output.give(payload);
    if (payload.length > 0) return;
    open.delete(stream);
    look();
  };
  const frames: Record<string, (payload: Buffer) => void> = {
    P: (payload) => {
      pid = payload.readUInt32BE();
      started.resolve("yes");
    },
    W: (payload) => stdin.taken(payload.readUInt32BE()),
    1: (payload) => hear(1, stdout, payload),
    2: (payload) => hear(2, stderr, payload),
    X: (payload) => {
      ended.resolve(status = statusOf(payload.readInt32BE()));
      stdin.close();
      look();
    },
    Q: () => look(true),
    N() {
      started.resolve("not begun");
      ended.resolve(undefined);
      settled.resolve(undefined);
      for (const output of [stdout, stderr]) output.give(Buffer.alloc(0));
      stdin.close();
      forget();
    },
  };
  return {
    mark,
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
    take(kind, payload) {
      const act = frames[kind];
      if (act === undefined) throw new Error(`a frame of no kind: ${JSON.stringify(kind)}`);
      act(payload);
    },
    lose() {
      started.resolve("lost");
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
