/** Checksum that pictures and archives carry. */

const table = Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? 0xedb88320 ^ rest >>> 1 : rest >>> 1;
  return rest >>> 0;
});

/** CRC-32 as PNG and ZIP use it. */
export function crc32(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = table[(rest ^ byte) & 0xff]! ^ rest >>> 8;
  return (rest ^ 0xffffffff) >>> 0;
}
