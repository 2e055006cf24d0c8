import t from "tap";
import { escapeHidden, shownName, visible } from "../../../src/core/visible.ts";

t.test("signs that hide or turn text around are written as escapes", (t) => {
  t.equal(visible("safe\u202Eelif\u202C\u2066x\u2069"), "safe\\u202Eelif\\u202C\\u2066x\\u2069");
  t.equal(visible("a\u200bb\ufeff\u2028\u00ad\u{e0041}"), "a\\u200Bb\\uFEFF\\u2028\\u00AD\\uDB40\\uDC41");
  t.equal(visible("\u001b[2J\u0007\u009b1m\r\nnext\tline"), "\\u001B[2J\\u0007\\u009B1m\nnext\tline");
  t.equal(visible("👩‍👩‍👧 עברית 漢字 ä"), "👩‍👩‍👧 עברית 漢字 ä", "what scripts and emoji need stays");
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
  t.equal(shownName("n".repeat(1000)), `${"n".repeat(120)}…`);
  t.equal(shownName("a\u202eb"), "a\\u202Eb");
  t.end();
});
