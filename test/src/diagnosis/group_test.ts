import t from "tap";
import type { Diagnosis, SourcePlace } from "../../../machines/model/diagnosis.ts";
import { commonWords, type ExaminedFailure, groupFailures } from "../../../src/diagnosis/group.ts";

function failure(
  testId: string,
  place: SourcePlace | undefined,
  more: Partial<ExaminedFailure> = {},
  category: Diagnosis["category"] = "runtime-exception",
): ExaminedFailure {
  return {
    cause: "because",
    strength: place ? "trace" : "none",
    words: "",
    ...more,
    diagnosis: {
      testId,
      testName: testId,
      category,
      evidence: ["because"],
      error: "",
      exchange: [],
      stderr: "",
      places: place ? [place] : [],
      excerpts: [],
      previousFixes: [],
      environment: { problems: [], processes: 0 },
    },
  };
}

const helper: SourcePlace = { path: "lib/a.js", line: 4, name: "parse" };
const ids = (failures: ExaminedFailure[]) => groupFailures(failures).map(({ testIds }) => testIds);

t.test("one place in one category is one group, the largest first", (t) => {
  const failures = [
    failure("other", { path: "b.js", line: 1 }),
    failure("a", helper),
    failure("b", helper),
    failure("c", helper, {}, "timeout"),
  ];
  t.strictSame(ids(failures), [["a", "b"], ["other"], ["c"]]);
  t.end();
});

t.test("without firm places the error's own words decide; silence joins nothing", (t) => {
  t.strictSame(
    ids([failure("a", undefined, { words: "no rates" }), failure("b", undefined, { words: "no rates" })]),
    [["a", "b"]],
  );
  t.strictSame(ids([failure("a", undefined), failure("b", undefined)]), [["a"], ["b"]]);
  t.end();
});

t.test("of one tool that nothing else is known of, failures of one category are one group", (t) => {
  const of = (tool: string, testId: string, category: Diagnosis["category"] = "wrong-output") => {
    const { diagnosis, ...more } = failure(testId, undefined, {}, category);
    return { ...more, diagnosis: { ...diagnosis, tool } };
  };
  const failures = [of("add", "a"), of("sub", "b"), of("add", "c"), of("add", "d", "schema-violation")];
  t.strictSame(ids(failures), [["a", "c"], ["b"], ["d"]]);
  t.end();
});

t.test("two traces with the same words but different functions stay apart", (t) => {
  const words = "is not a number";
  t.strictSame(
    ids([failure("a", helper, { words }), failure("b", { path: "c.js", line: 9, name: "g" }, { words })]),
    [["a"], ["b"]],
  );
  t.strictSame(ids([failure("a", helper, { words }), failure("b", { ...helper, line: 6 }, { words })]), [[
    "a",
    "b",
  ]]);
  t.end();
});

t.test("what is missing is one cause wherever it is needed", (t) => {
  const missing = { missing: "module yaml" };
  const failures = [
    failure("a", helper, missing),
    failure("b", { path: "z.js", line: 1 }, missing),
    failure("c", helper, { missing: "module x" }),
  ];
  t.strictSame(ids(failures), [["a", "b"], ["c"]]);
  t.end();
});

t.test("a group's id survives that its function moves in the file", (t) => {
  const [before] = groupFailures([failure("a", helper)]);
  const [after] = groupFailures([failure("a", { ...helper, line: 40 })]);
  t.equal(before?.id, after?.id);
  const two = groupFailures([failure("a", helper), failure("b", { ...helper, line: 40 })]);
  t.equal(new Set(two.map(({ id }) => id)).size, 2);
  t.end();
});

t.test("of several causes in one function none takes the id of another that is gone", (t) => {
  const one = failure("a", helper, { words: "no rate", owner: "parse" });
  const two = failure("b", { ...helper, line: 40 }, { words: "no currency", owner: "parse" });
  const both = groupFailures([one, two]).map(({ id }) => id);
  const [alone] = groupFailures([two]);
  t.equal(new Set(both).size, 2);
  t.notOk(both.includes(alone!.id), "what remains is not taken for what was mended");
  t.strictSame(
    groupFailures([two, one]).map(({ id }) => id).sort(),
    both.sort(),
    "the order does not matter",
  );
  t.end();
});

t.test("words lose what differs from call to call", (t) => {
  t.equal(
    commonWords('price_net: "12 EUR" is bad at 3', "price_net", { amount: "12 EUR" }),
    '…: "…" is bad at #',
  );
  t.equal(commonWords("unknown currency 'eur'", "p", { amount: "12 EUR" }), "unknown currency '…'");
  t.equal(commonWords("reading 'nothing7'", "p", {}), "reading 'nothing7'", "a name is no value");
  t.equal(commonWords("ENOENT: /tmp/pth-Xy12/notes/a.txt", "p", {}), "ENOENT: …/a.txt");
  t.equal(commonWords("job 3fa85f64-5717-4562-b3fc failed", "p", {}), "job # failed");
  t.equal(commonWords("Ada is not in the list", "p", { who: { names: ["Ada"] } }), "… is not in the list");
  t.end();
});
