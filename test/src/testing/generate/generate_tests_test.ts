/** What a suite has already is not proposed again, whatever it is called there. */
import t from "tap";
import type { TestCase } from "../../../../machines/model/test_case.ts";
import { newTests, withoutRepeats } from "../../../../src/testing/generate/generate_tests.ts";

const made = (more: Partial<TestCase>): TestCase => ({
  id: "",
  name: "one",
  tier: 1,
  tool: "add",
  input: { a: 1, b: { c: 2, d: 3 } },
  expect: { success: true },
  verify: [],
  setup: [],
  teardown: [],
  tags: [],
  generatedFrom: "schema",
  ...more,
});
const inFile = (more: Partial<TestCase>) => made({ generatedFrom: "manual", file: "suite.yaml", ...more });

for (
  const [what, proposed, suite, isNew] of [
    ["another input", made({ name: "two", input: { a: 2 } }), inFile({}), true],
    ["another expectation", made({ name: "two", expect: { success: false } }), inFile({}), true],
    ["another tool", made({ name: "two", tool: "sub" }), inFile({}), true],
    ["another name alone", made({ name: "two" }), inFile({ tags: ["mine"] }), false],
    [
      "the keys in another order",
      made({ name: "two" }),
      inFile({ input: { b: { d: 3, c: 2 }, a: 1 } }),
      false,
    ],
    [
      "the same origin, edited since",
      made({ origin: "a.ts:1" }),
      inFile({ name: "x", input: {}, origin: "a.ts:1" }),
      false,
    ],
    [
      "another origin",
      made({ name: "two", input: {}, origin: "a.ts:2" }),
      inFile({ origin: "a.ts:1" }),
      true,
    ],
    ["the same name in a file, edited since", made({}), inFile({ input: {} }), false],
    ["the same name in memory", made({}), made({ input: {} }), true],
    [
      "a check with another value",
      made({ name: "two", config: { A: "1" } }),
      inFile({ config: { A: "2" } }),
      true,
    ],
  ] as const
) {
  t.test(`${what} is ${isNew ? "new" : "known"}`, (t) => {
    const { added, known } = newTests([proposed], [suite]);
    t.equal(added.length, isNew ? 1 : 0);
    t.same(known, isNew ? {} : { schema: 1 });
    t.end();
  });
}

t.test("an example that a document shows twice is one test", (t) => {
  t.equal(withoutRepeats([made({}), made({ name: "two" }), made({ name: "three", input: {} })]).length, 2);
  t.end();
});
