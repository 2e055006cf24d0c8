/** A zip archive made of texts, also one that no packer makes. */
import { Buffer } from "node:buffer";
import { deflateRawSync } from "node:zlib";

export interface ZipEntry {
  path: string;
  content?: string | Uint8Array;
  /** Kind and permissions as Unix has them. */
  mode?: number;
  /** Size that the archive tells; absent: the true one. */
  told?: number;
  encrypted?: true;
}

export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const listing: Buffer[] = [];
  let offset = 0;
  for (const { path, content = "", mode = 0o100644, told, encrypted } of entries) {
    const name = Buffer.from(path);
    const raw = Buffer.from(content as string);
    const packed = deflateRawSync(raw);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(encrypted ? 1 : 0, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(0x00210000, 6); // the first day of 1980
    common.writeUInt32LE(checksum(raw), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(told ?? raw.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, name, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    // Made on Unix.
    listing.push(Buffer.concat([Buffer.from("PK\x01\x02"), Buffer.from([20, 3]), common, rest, name]));
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(listing);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, central, Buffer.from("PK\x05\x06"), end]);
}

function checksum(bytes: Uint8Array): number {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}
