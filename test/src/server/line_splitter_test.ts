import { Buffer } from "node:buffer";
import t from "tap";
import { splitLines } from "../../../src/server/line_splitter.ts";

function split(chunks: Buffer[], most?: number) {
  const lines: string[] = [];
  let overflows = 0;
  const read = splitLines((line) => lines.push(line), () => overflows++, most);
  chunks.forEach(read);
  return { lines, overflows };
}

t.test("lines are whole however the bytes come", (t) => {
  const bytes = Buffer.from('{"ä":1}\r\n\n{"€":2}\nrest');
  const single = [...bytes].map((byte) => Buffer.from([byte]));
  t.strictSame(split(single).lines.map((line) => line.trim()), ['{"ä":1}', '{"€":2}']);
  t.strictSame(split([bytes]).lines.map((line) => line.trim()), ['{"ä":1}', '{"€":2}']);
  t.end();
});

t.test("a line without end is dropped, and what follows it is read", (t) => {
  const outcome = split([Buffer.from("abcdef"), Buffer.from("ghi\nok\n")], 5);
  t.strictSame(outcome, { lines: ["ok"], overflows: 1 });
  t.end();
});
