/**
 * The host's end of `src/assets/relay/host_port.cjs`: connections that were made inside an environment go on to a service
 * here. One process carries all of them over its stdin and stdout, so that no network is needed.
 *
 * | frames to the environment              | frames from it                                        |
 * | -------------------------------------- | ----------------------------------------------------- |
 * |                                        | `L` it listens; the id is the port                    |
 * |                                        | `O` a connection; ids go up and are never used again  |
 * | `D` data, empty: its end               | `D` data, empty: its end                              |
 * | `T` number of bytes that were taken    | `T` number of bytes that were taken                   |
 * | `C` closed; a reset unless it has ended | `C` closed; a reset unless it has ended              |
 *
 * Each side says `C` once for each connection. A place is free inside when both have said it, and here as soon as this side
 * has: so it is free here first, and there are never more connections here than inside.
 *
 * The plugin runs beside the process inside and may disturb it: what breaks the protocol or exceeds its limits ends it.
 */
import type { Socket } from "node:net";
import { Buffer } from "node:buffer";
import type { Readable, Writable } from "node:stream";
import { createFrameReader, type Frame, frame, number32 } from "../shared/frames.ts";
import { pieceSize, takenOutput, windowedInput } from "../shared/windowed_input.ts";

/** Limits of one relay: bytes in transit of a connection each way, connections at a time, and more that wait inside. */
export const relayLimits = { window: 256 * 1024, places: 256, queue: 1024 } as const;

/** Bytes for the process inside that it may leave unread: windows do not hold up the other frames. */
const mostUnread = (relayLimits.places + 4) * relayLimits.window;

export interface CarryOptions {
  stdin: Writable;
  stdout: Readable;
  /** Connects to the service; undefined where nothing answers. */
  connect(): Promise<Socket | undefined>;
  onListening(port: number): void;
  /** Called once, when the protocol was broken; all connections are reset by then. */
  onBroken(reason: string): void;
}

interface Connection {
  take(kind: string, payload: Buffer): void;
  drop(): void;
}

/** Returns what ends all connections. */
export function carryConnections(
  { stdin, stdout, connect, onListening, onBroken }: CarryOptions,
): () => void {
  const connections = new Map<number, Connection>();
  let lastId = 0;
  let over = false;
  const end = () => {
    over = true;
    for (const connection of connections.values()) connection.drop();
    connections.clear();
  };
  const breakOff = (reason: string) => {
    if (over) return;
    end();
    onBroken(reason);
  };
  const send = (kind: string, id: number, payload?: Uint8Array) => {
    if (over || !stdin.writable) return;
    stdin.write(frame(kind, id, payload));
    if (stdin.writableLength > mostUnread) breakOff("it does not read");
  };
  const open = (id: number) => {
    if (id <= lastId) throw new Error(`connection ${id} begins after ${lastId}`);
    if (connections.size >= relayLimits.places) {
      throw new Error(`more than ${relayLimits.places} connections`);
    }
    lastId = id;
    const connection = carry(connect(), (kind, payload) => send(kind, id, payload), () => {
      connections.delete(id);
      send("C", id);
    });
    connections.set(id, connection);
  };
  const onFrame = ({ kind, id, payload }: Frame) => {
    if (kind === "L") return onListening(id);
    if (kind === "O") return open(id);
    if (id > lastId) throw new Error(`${kind} for connection ${id}, which has not begun`);
    connections.get(id)?.take(kind, payload); // what is closed here may still be spoken of
  };
  const read = createFrameReader(onFrame, pieceSize);
  stdout.on("data", (chunk: Buffer) => {
    if (over) return;
    try {
      read(chunk);
    } catch (error) {
      breakOff((error as Error).message);
    }
  });
  return end;
}

function carry(
  connecting: Promise<Socket | undefined>,
  send: (kind: string, payload?: Uint8Array) => void,
  onClosed: () => void,
): Connection {
  const { window } = relayLimits;
  let inTransit = 0;
  let hasEnded = false;
  let isClosed = false;
  let dropped = false;
  let socket: Socket | undefined;
  const fromInside = takenOutput(window, (bytes) => {
    inTransit -= bytes;
    send("T", number32(bytes));
  });
  const toInside = windowedInput(window, (piece) => send("D", piece));

  /** Closes here what was closed inside, and cuts what was cut there. */
  const follow = (socket: Socket) => {
    if (dropped || !hasEnded) socket.resetAndDestroy();
    else if (socket.writableFinished) socket.destroy();
    else socket.once("finish", () => socket.destroy());
  };
  void connecting.then((found) => {
    if (found === undefined) return onClosed();
    socket = found;
    found.once("close", () => {
      // What it said last may still wait for room; one that was cut has no last word.
      if (found.readableEnded && !toInside.stream.writableFinished) toInside.stream.once("finish", onClosed);
      else onClosed();
    });
    if (isClosed || dropped) follow(found);
    if (dropped) return;
    fromInside.stream.pipe(found).pipe(toInside.stream);
  });

  const frames: Record<string, (payload: Buffer) => void> = {
    D(payload) {
      if (hasEnded) throw new Error("data behind its end");
      hasEnded = payload.length === 0;
      inTransit += payload.length;
      if (inTransit > window) throw new Error("more data than the window has room for");
      fromInside.give(payload);
    },
    T: (payload) => toInside.taken(payload.readUInt32BE()),
    C() {
      isClosed = true;
      toInside.close();
      if (socket !== undefined) follow(socket);
    },
  };
  return {
    take(kind, payload) {
      const act = frames[kind];
      if (act === undefined) throw new Error(`a frame of no kind: ${JSON.stringify(kind)}`);
      act(payload);
    },
    drop() {
      dropped = true;
      toInside.close();
      socket?.resetAndDestroy();
    },
  };
}
