/** A small picture. */
import { Buffer } from "node:buffer";
import { deflateSync } from "node:zlib";
import { crc32 } from "./crc32.ts";

const size = 32;

/** PNG of 32 × 32 pixels: a light square on a dark ground. */
export function picture(): Uint8Array {
  const rows = Array.from({ length: size }, (_, y) => [
    0,
    ...Array.from({ length: size }, (_, x) => isInside(x) && isInside(y) ? [250, 220, 90] : [40, 60, 120])
      .flat(),
  ]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Uint8Array.from(rows.flat()))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const isInside = (at: number): boolean => at >= size / 4 && at < size * 3 / 4;

function chunk(type: string, data: Uint8Array): Uint8Array {
  const named = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
