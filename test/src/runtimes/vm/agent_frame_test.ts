import { Buffer } from "node:buffer";
import t from "tap";
import { createFrameReader, frame, joinNul, number32 } from "../../../../src/runtimes/vm/agent_script.ts";

t.test("frames come whole, however the stream is cut", (t) => {
  const bytes = Buffer.concat([
    frame("1", 7, Buffer.from("out")),
    frame("2", 8),
    frame("W", 9, number32(300)),
  ]);
  for (const size of [1, 2, 5, 10, bytes.length]) {
    const seen: string[] = [];
    const read = createFrameReader(({ kind, id, payload }) =>
      seen.push(`${kind}${id}:${payload.toString("hex")}`)
    );
    for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size));
    t.same(seen, ["17:6f7574", "28:", "W9:0000012c"], `pieces of ${size}`);
  }
  t.end();
});

t.test("words are parted by NUL, empty ones kept", (t) => {
  t.equal(joinNul(["a", "", "b c"]).toString("latin1"), "a\0\0b c");
  t.end();
});
