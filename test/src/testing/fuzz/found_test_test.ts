import fc from "fast-check";
import t from "tap";
import { awkwardTexts, reachingTexts } from "../../../../src/testing/fuzz/arbitraries/awkward_texts.ts";
import { foundTest } from "../../../../src/testing/fuzz/found_test.ts";
import { interpolateTest } from "../../../../src/testing/format/interpolate.ts";
import { parseTests } from "../../../../src/testing/format/parse.ts";
import { serializeTests } from "../../../../src/testing/format/serialize_tests.ts";

const find = (input: Record<string, unknown>) => ({
  tool: "echo",
  oracle: "crash",
  signature: "exited with #",
  message: "echo ended the server\n  stderr",
  input,
  seed: 1,
  path: "3:0",
});

/** The input with which the written test calls. */
function calledWith(input: Record<string, unknown>): unknown {
  const [test] = parseTests("found.yaml", serializeTests([foundTest(find(input), 5_000)]));
  return interpolateTest(test!, new Map()).input;
}

t.test("what was drawn is called again, whatever is in it", (t) => {
  const texts = [
    ...awkwardTexts,
    ...reachingTexts,
    "${env:HOME}",
    "$${env:HOME}",
    "$x",
    "\u0080",
    "\u2028",
    "a: b",
    "# c",
    "- d",
    "~",
    "1_000",
    "2020-01-01",
    "<<",
  ];
  for (const text of texts) {
    t.same(calledWith({ text, list: [text], map: { a: text } }), { text, list: [text], map: { a: text } });
  }
  const keys = ["constructor", "toString", "", "null", "1", "a b", ": "];
  for (const key of keys) t.same(calledWith({ [key]: 1 }), { [key]: 1 });
  t.end();
});

t.test("any JSON is called again as it was", (t) => {
  const json = fc.dictionary(
    fc.string({ unit: "binary" }).filter((key) => key !== "__proto__"),
    fc.jsonValue(),
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(json, (input) => {
      const plain = JSON.parse(JSON.stringify(input));
      return JSON.stringify(calledWith(plain)) === JSON.stringify(plain);
    }),
    { numRuns: 300, seed: 5 },
  );
  t.end();
});

t.test("the same fault has the same name, another one another", (t) => {
  const [one, two] = [foundTest(find({ a: 1 }), 5_000), foundTest(find({ a: 2 }), 5_000)];
  t.equal(one.name, two.name);
  t.not(one.name, foundTest({ ...find({ a: 1 }), signature: "other" }, 5_000).name);
  t.end();
});
