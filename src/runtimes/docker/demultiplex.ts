/** The engine's framed stream of two outputs, taken apart: 8 bytes of header (stream, length), then the payload. */
import { Buffer } from "node:buffer";
import type { Readable, Writable } from "node:stream";

const headerSize = 8;
const stderrStream = 2;

/** Reads frames that come in pieces of any size, and hands out payloads without copying them. */
export function frameReader(onPayload: (payload: Buffer, stream: "stdout" | "stderr") => void) {
  let header = Buffer.alloc(0);
  let stream: "stdout" | "stderr" = "stdout";
  let missing = 0;
  return (chunk: Buffer): void => {
    let rest = chunk;
    while (rest.length > 0) {
      if (missing === 0) {
        const take = Math.min(headerSize - header.length, rest.length);
        header = Buffer.concat([header, rest.subarray(0, take)]);
        rest = rest.subarray(take);
        if (header.length < headerSize) return;
        stream = header[0] === stderrStream ? "stderr" : "stdout";
        missing = header.readUInt32BE(4);
        header = Buffer.alloc(0);
      } else {
        const payload = rest.subarray(0, missing);
        missing -= payload.length;
        rest = rest.subarray(payload.length);
        onPayload(payload, stream);
      }
    }
  };
}

/** Feeds both outputs from the engine's stream, slowing it down when a reader is slow; ends them with it. */
export function demultiplex(source: Readable, stdout: Writable, stderr: Writable): void {
  const full = new Set<Writable>();
  const read = frameReader((payload, stream) => {
    const target = stream === "stdout" ? stdout : stderr;
    if (target.destroyed || target.write(payload) || full.has(target)) return;
    full.add(target);
    source.pause();
    target.once("drain", () => {
      full.delete(target);
      if (full.size === 0) source.resume();
    });
  });
  let ended = false;
  const end = () => {
    if (ended) return;
    ended = true;
    stdout.end();
    stderr.end();
  };
  source.on("data", read);
  source.once("end", end);
  source.once("close", end);
  source.once("error", end); // the engine went away: the process's fate is asked for separately
}
