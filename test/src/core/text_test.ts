import t from "tap";
import {
  countedTail,
  escapeHidden,
  firstLine,
  formatDuration,
  indentedTail,
  oneLine,
  plainLine,
  stripEscapes,
  truncate,
  visibleName,
  visibleText,
} from "../../../src/core/text.ts";

t.test("signs that hide or turn text around are written as escapes", (t) => {
  t.equal(visibleText("safe\u202Eelif\u202C\u2066x\u2069"), "safe\\u202Eelif\\u202C\\u2066x\\u2069");
  t.equal(visibleText("a\u200bb\ufeff\u2028\u00ad\u{e0041}"), "a\\u200Bb\\uFEFF\\u2028\\u00AD\\uDB40\\uDC41");
  t.equal(visibleText("\u001b[2J\u0007\u009b1m\r\nnext\tline"), "\\u001B[2J\\u0007\\u009B1m\nnext\tline");
  t.equal(visibleText("👩‍👩‍👧 עברית 漢字 ä"), "👩‍👩‍👧 עברית 漢字 ä", "what scripts and emoji need stays");
  t.end();
});

t.test("within JSON the escapes mean the same signs", (t) => {
  const value = { "a\u202e": ["\u2066", "\u{e0041}", "\\u202e"] };
  const text = escapeHidden(JSON.stringify(value));
  t.notMatch(text, /[\u202e\u2066]/);
  t.same(JSON.parse(text), value);
  t.end();
});

t.test("a name is cut", (t) => {
  t.equal(visibleName("n".repeat(1000)), `${"n".repeat(120)}…`);
  t.equal(visibleName("a\u202eb"), "a\\u202Eb");
  t.end();
});

t.test("plain text holds nothing that a terminal would obey", (t) => {
  t.equal(stripEscapes("a\u001b[2Jb\r\n\tc\u0007\u001b]0;title\u0007d\ud800"), "ab\n  c\ufffdd\ufffd");
  t.equal(stripEscapes("safe\u202Eelif\u202C"), "safe\\u202Eelif\\u202C");
  t.equal(plainLine("  a\n\n  b\r\n"), "a b");
  t.end();
});

t.test("a tail says how much is missing", (t) => {
  t.equal(countedTail("a\nb\nc\n", 3), "a\nb\nc");
  t.equal(countedTail("a\nb\nc", 2), "… 1 lines left out\nb\nc");
  t.end();
});

t.test("durations in the unit a person thinks in", (t) => {
  t.same([0.4, 42, 420, 12_000, 125_000].map(formatDuration), [
    "0 ms",
    "42 ms",
    "0.4 s",
    "12 s",
    "2 min 5 s",
  ]);
  t.end();
});

t.test("a cut text is as long as allowed, and no half of a character is left", (t) => {
  t.equal(truncate("123456", 6), "123456");
  t.equal(truncate("1234567", 6), "12345…");
  t.equal(truncate("1234👩7", 6), "1234…", "a surrogate pair is not parted");
  t.equal(firstLine("\n first \r\nsecond"), "first");
  t.equal(firstLine("a long first line\nsecond", 7), "a long…");
  t.equal(oneLine(" a\n\n  b\tc "), "a b c");
  t.equal(oneLine("a\nb".repeat(100), 5), "a ba…");
  t.end();
});

t.test("the tail of a log is indented, and empty for an empty log", (t) => {
  t.equal(indentedTail(" \n"), "");
  t.equal(indentedTail("a\n\nb\n", 2), "\n    b");
  t.equal(indentedTail("x".repeat(600)).length, 504);
  t.end();
});
