import t from "tap";
import { columnWidth, cutToColumns, wrapColumns } from "../../../src/core/columns.ts";

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
