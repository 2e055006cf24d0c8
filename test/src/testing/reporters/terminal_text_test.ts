import t from "tap";
import {
  columnWidth,
  countedTail,
  cutToColumns,
  formatDuration,
  plainLine,
  stripEscapes,
  wrapColumns,
} from "../../../../src/testing/reporters/terminal_text.ts";

t.test("plain text holds nothing that a terminal would obey", (t) => {
  t.equal(stripEscapes("a\u001b[2Jb\r\n\tc\u0007\u001b]0;title\u0007d\ud800"), "ab\n  c\ufffdd\ufffd");
  t.equal(stripEscapes("safe\u202Eelif\u202C"), "safe\\u202Eelif\\u202C");
  t.equal(plainLine("  a\n\n  b\r\n"), "a b");
  t.end();
});

t.test("wide characters take two columns, combined ones one character's", (t) => {
  t.same(["abc", "漢字", "e\u0301", "👨‍👩‍👧", ""].map(columnWidth), [3, 4, 1, 2, 0]);
  t.equal(cutToColumns("漢字漢字", 5), "漢字…");
  t.equal(cutToColumns("short", 5), "short");
  t.equal(cutToColumns("longer", 1), "…");
  t.equal(cutToColumns("x", 0), "");
  t.equal(cutToColumns("ü".repeat(1_000_000), 10), "üüüüüüüüü…", "a text of a megabyte, too");
  t.end();
});

t.test("wrapping breaks at spaces, keeps the indent, and splits only what is too long", (t) => {
  t.same(wrapColumns("one two three", 8), ["one two", "three"]);
  t.same(wrapColumns("  one two three", 10), ["  one two", "  three"]);
  t.same(wrapColumns("abcdefghijklm", 6), ["abcdef", "ghijkl", "m"]);
  t.same(wrapColumns("a\n\nb", 10), ["a", "", "b"]);
  t.same(wrapColumns("漢字漢字漢字", 5), ["漢字", "漢字", "漢字"]);
  for (const columns of [4, 7, 20]) {
    for (const line of wrapColumns("the quick brown 漢字漢字漢字 foxjumpsoverthelazydog ", columns)) {
      t.ok(columnWidth(line) <= columns, `${line} fits ${columns}`);
    }
  }
  t.same(wrapColumns("never broken ".repeat(50), Infinity).length, 1);
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
