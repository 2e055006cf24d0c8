import t from "tap";
import { escapeHidden, visibleName, visibleText } from "../../../src/core/visible_text.ts";

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
