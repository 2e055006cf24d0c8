import t from "tap";
import type { TestResult } from "../../../../machines/model/test_result.ts";
import { compareRuns } from "../../../../src/app/tests/clean_run_command.ts";

const now = (id: string, status: TestResult["status"]) => ({ id, status }) as TestResult;

t.test("a clean run names the tests that passed, or failed, in the old environment only", (t) => {
  const before = new Map(
    Object.entries(
      {
        rests: "passed",
        shaky: "flaky",
        blamed: "failed",
        still: "failed",
        skipped: "skipped",
      } as const,
    ),
  );
  const after = [
    now("rests", "failed"),
    now("shaky", "failed"),
    now("blamed", "passed"),
    now("still", "failed"),
    now("skipped", "failed"),
    now("new", "passed"),
  ];
  const { onlyDirty, onlyClean, failed, compared } = compareRuns(before, after);
  const ids = (results: TestResult[]) => results.map(({ id }) => id);
  t.same(ids(onlyDirty), ["rests", "shaky"]);
  t.same(ids(onlyClean), ["blamed"]);
  t.same(ids(failed), ["rests", "shaky", "still", "skipped"]);
  t.equal(compared, 4);
  t.end();
});
