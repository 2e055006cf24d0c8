import { Buffer } from "node:buffer";
import t from "tap";
import { createLineSplitter } from "../../../src/platform/line_splitter.ts";

function splitter(maxBytes = 1000) {
  const lines: string[] = [];
  let overlong = 0;
  const it = createLineSplitter({
    maxBytes,
    onLine: (line) => lines.push(line),
    onOverlong: () => overlong++,
  });
  return { lines, overlong: () => overlong, push: (text: string) => it.push(Buffer.from(text)), raw: it };
}

t.test("a line that comes in pieces is one line", (t) => {
  const { lines, push } = splitter();
  push('{"a"');
  push(":1}");
  t.same(lines, []);
  push("\n");
  t.same(lines, ['{"a":1}']);
  t.end();
});

t.test("several lines in one piece, with CRLF; empty ones are skipped", (t) => {
  const { lines, push } = splitter();
  push("one\r\ntwo\n\nthree\nfo");
  t.same(lines, ["one", "two", "three"]);
  t.end();
});

t.test("a character cut in two by the pipe stays whole", (t) => {
  const { lines, raw } = splitter();
  const bytes = Buffer.from("größe\n");
  raw.push(bytes.subarray(0, 3));
  raw.push(bytes.subarray(3));
  t.same(lines, ["größe"]);
  t.end();
});

t.test("the last line needs no line feed", (t) => {
  const { lines, push, raw } = splitter();
  push("rest");
  raw.end();
  raw.end();
  t.same(lines, ["rest"]);
  t.end();
});

t.test("an overlong line is dropped and told once; the next one is read", (t) => {
  const { lines, push, overlong } = splitter(10);
  push("0123456");
  push("89abcdef");
  push("still the same line");
  t.equal(overlong(), 1);
  push("\nnext\n");
  t.same(lines, ["next"]);
  t.equal(overlong(), 1);
  t.end();
});

t.test("a line of exactly the limit is read", (t) => {
  const { lines, push, overlong } = splitter(4);
  push("abcd\n");
  t.same(lines, ["abcd"]);
  t.equal(overlong(), 0);
  t.end();
});
