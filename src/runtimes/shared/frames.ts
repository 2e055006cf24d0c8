/** Frames on a stream that carries many: kind (1 byte), id, length (4 bytes each, big endian), payload. */
import { Buffer } from "node:buffer";

export interface Frame {
  /** One letter. */
  kind: string;
  id: number;
  payload: Buffer;
}

const head = 9;

export function frame(kind: string, id: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const whole = Buffer.allocUnsafe(head + payload.length);
  whole.write(kind, 0, "latin1");
  whole.writeUInt32BE(id, 1);
  whole.writeUInt32BE(payload.length, 5);
  whole.set(payload, head);
  return whole;
}

/**
 * Cuts a stream into frames, however it comes in pieces.
 * @param longest bytes of a payload; a longer one makes the reader throw before it is held
 */
export function createFrameReader(
  onFrame: (frame: Frame) => void,
  longest = Infinity,
): (chunk: Buffer) => void {
  let held: Buffer = Buffer.alloc(0);
  return (chunk) => {
    let rest = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    while (rest.length >= head) {
      const size = rest.readUInt32BE(5);
      if (size > longest) throw new RangeError(`a frame of ${size} bytes`);
      const end = head + size;
      if (rest.length < end) break;
      onFrame({
        kind: rest.toString("latin1", 0, 1),
        id: rest.readUInt32BE(1),
        payload: rest.subarray(head, end),
      });
      rest = rest.subarray(end);
    }
    held = rest;
  };
}

/** A number as the payload has it. */
export function number32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
