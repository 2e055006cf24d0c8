/** Inputs and outputs of which many share one stream: each has so many bytes in transit as its window has room for. */
import { Buffer } from "node:buffer";
import { Readable, Writable } from "node:stream";

/** The largest payload of one frame, in bytes. */
export const pieceSize: number = 64 * 1024;

/** Output whose progress at its reader is acknowledged to the other side, in quarters of the window. */
export function takenOutput(window: number, acknowledge: (bytes: number) => void) {
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
export function windowedInput(window: number, send: (piece: Uint8Array) => void) {
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
      room = Math.min(window, room + bytes); // more than was sent cannot have been taken
      pump();
    },
    close() {
      closed = true;
      pump();
    },
  };
}
