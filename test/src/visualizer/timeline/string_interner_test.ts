import { Buffer } from "node:buffer";
import t from "tap";
import { StringInterner } from "../../../../src/visualizer/timeline/string_interner.ts";

/** The number of a name that stands somewhere among other bytes. */
function numberOf(names: StringInterner, text: string): number {
  const bytes = Buffer.from(`before${text}after`);
  return names.of(bytes, 6, bytes.length - 5);
}

t.test("names have numbers in the order in which they come, and keep them", (t) => {
  const names = new StringInterner();
  const texts = Array.from({ length: 20_000 }, (_, at) => `xstate.done.actor.test-${at}`);
  t.strictSame(texts.map((text) => numberOf(names, text)), texts.map((_, at) => at));
  t.strictSame(texts.map((text) => numberOf(names, text)), texts.map((_, at) => at), "the second time, too");
  t.equal(names.size, texts.length);
  t.strictSame(texts.map((_, at) => names.text(at)), texts);
  t.strictSame(texts.map((text) => names.find(text)), texts.map((_, at) => at));
  t.equal(names.find("xstate.done.actor.test-20000"), undefined);
  t.end();
});

t.test("the empty name, long ones, prefixes of others and other scripts are told apart", (t) => {
  const names = new StringInterner();
  const texts = ["", "a", "aa", "å", "日本", "a".repeat(100_000), "a".repeat(99_999), "__proto__"];
  t.strictSame(texts.map((text) => numberOf(names, text)), texts.map((_, at) => at));
  t.strictSame(texts.map((_, at) => names.text(at)), texts);
  t.end();
});
