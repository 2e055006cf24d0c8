/** Frames between host and agent: kind, id and length before each payload (`agent_script.ts`). */
import { Buffer } from "node:buffer";

export interface AgentFrame {
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

/** Cuts a stream into frames, however it comes in pieces. */
export function createFrameReader(onFrame: (frame: AgentFrame) => void): (chunk: Buffer) => void {
  let held: Buffer = Buffer.alloc(0);
  return (chunk) => {
    let rest = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    while (rest.length >= head) {
      const end = head + rest.readUInt32BE(5);
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

/** Words, parted by NUL, which none of them can hold. */
export const joinNul = (words: readonly string[]): Buffer => Buffer.from(words.join("\0"));
