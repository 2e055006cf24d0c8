import { Buffer } from "node:buffer";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import t from "tap";
import { demultiplex, frameReader } from "../../../../src/runtimes/docker/demultiplex.ts";

const frame = (stream: 1 | 2, payload: string): Buffer => {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(Buffer.byteLength(payload), 4);
  return Buffer.concat([header, Buffer.from(payload)]);
};

t.test("frames come apart, however the bytes arrive", (t) => {
  const all = Buffer.concat([frame(1, "out é"), frame(2, "err"), frame(1, ""), frame(1, "more")]);
  for (const size of [1, 3, 8, 9, all.length]) {
    const seen = { stdout: "", stderr: "" };
    const pieces: [Buffer, "stdout" | "stderr"][] = [];
    const read = frameReader((payload, stream) => pieces.push([Buffer.from(payload), stream]));
    for (let at = 0; at < all.length; at += size) read(all.subarray(at, at + size));
    for (const stream of ["stdout", "stderr"] as const) {
      seen[stream] = Buffer.concat(pieces.filter((p) => p[1] === stream).map((p) => p[0])).toString();
    }
    t.same(seen, { stdout: "out émore", stderr: "err" }, `${size} bytes at a time`);
  }
  t.end();
});

t.test("a slow reader slows the source down, and loses nothing", async (t) => {
  const source = new PassThrough();
  const stdout = new PassThrough({ highWaterMark: 10 });
  const stderr = new PassThrough();
  demultiplex(source, stdout, stderr);
  const payload = "x".repeat(1000);
  source.write(frame(1, payload));
  source.write(frame(2, "late"));
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.equal(source.isPaused(), true);
  source.end();
  t.same(await Promise.all([text(stdout), text(stderr)]), [payload, "late"]);
});

t.test("an engine that goes away ends both outputs", async (t) => {
  const source = new PassThrough();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  demultiplex(source, stdout, stderr);
  source.write(frame(1, "half"));
  source.destroy(new Error("gone"));
  t.same(await Promise.all([text(stdout), text(stderr)]), ["half", ""]);
});
