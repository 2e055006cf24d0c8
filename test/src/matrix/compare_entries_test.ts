import t from "tap";
import { compareEntries, type TestedEntry, whereItFails } from "../../../src/matrix/compare_entries.ts";
import { matrixVerdict } from "../../../src/matrix/matrix_table.ts";
import type { TestStatus } from "../../../machines/model/verdict.ts";

const entry = (name: string, statuses: Record<string, TestStatus>): TestedEntry => ({
  name,
  results: Object.entries(statuses).map(([id, status]) => ({
    id,
    name: id,
    status,
    ...(status === "failed" ? { message: `${id} broke\nin detail` } : {}),
  })),
});

t.test("what fails on one distribution is told apart from what fails on all", (t) => {
  const differences = compareEntries([
    entry("a", { same: "passed", one: "passed", all: "failed", two: "failed" }),
    entry("b", { same: "passed", one: "failed", all: "failed", two: "failed" }),
    entry("c", { same: "passed", one: "passed", all: "failed", two: "passed" }),
  ]);
  t.same(differences.map((one) => [one.id, whereItFails(one)]), [
    ["one", "only on b"],
    ["two", "on a and b"],
    ["all", "on all"],
  ]);
  t.same(differences[0]?.statuses, { a: "passed", b: "failed", c: "passed" });
  t.end();
});

t.test("a test that passes everywhere is no difference, one that is skipped somewhere is the last", (t) => {
  const differences = compareEntries([
    entry("a", { fine: "passed", skips: "passed", fails: "passed" }),
    entry("b", { fine: "passed", skips: "skipped", fails: "failed" }),
  ]);
  t.same(differences.map(({ id }) => id), ["fails", "skips"]);
  t.equal(whereItFails(differences[1]!), "");
  t.end();
});

t.test("a failure is no distribution's own only where another one judged it", (t) => {
  const [difference] = compareEntries([entry("a", { x: "skipped" }), entry("b", { x: "failed" })]);
  t.match(difference, { everywhere: false, failsOn: ["b"] });
  t.end();
});

t.test("the cause is the diagnosed one with its place, else the first line of what the test says", (t) => {
  const failing = entry("b", { x: "failed", y: "failed" });
  const group = {
    id: "g",
    category: "dependency-error" as const,
    cause: "Module crypt is missing",
    place: { path: "server.py", line: 22 },
    testIds: ["x"],
  };
  const differences = compareEntries([
    entry("a", { x: "passed", y: "passed" }),
    { ...failing, diagnosis: { groups: [group] } },
  ]);
  t.same(differences.map(({ cause }) => cause), [
    { category: "dependency-error", message: "Module crypt is missing", place: "server.py:22" },
    { message: "y broke" },
  ]);
  t.end();
});

t.test("the verdict says how many fail where, what was not tested, and that all was mended", (t) => {
  const report = (state: "passed" | "failed" | "broken", name: string) => ({
    name,
    distro: name,
    state,
    durationMs: 1,
  });
  const differences = compareEntries([
    entry("a", { one: "passed", more: "passed", all: "failed" }),
    entry("b", { one: "failed", more: "failed", all: "failed" }),
  ]);
  const entries = [report("failed", "a"), report("failed", "b"), report("broken", "c")];
  t.equal(
    matrixVerdict({ entries, differences }),
    "2 tests fail only on b; 1 test fails on all; not tested: c",
  );
  t.equal(
    matrixVerdict({ entries: [report("passed", "a"), report("passed", "b")], differences }),
    "2 tests failed only on b; 1 test failed on all; all pass now",
  );
  t.equal(
    matrixVerdict({ entries: [report("passed", "a")], differences: [] }),
    "no test fails on any of them",
  );
  t.end();
});
