import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { reportOfTests } from "../../../../src/cli/project_tests/report_of_tests.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

t.test("every test of the details is one of the report, at the time of the run, and so is what belongs to none", async (t) => {
  const details = join(await temporaryFolder(t), "details.json");
  await writeFile(
    details,
    JSON.stringify({
      problems: [{ message: "it does not compile", place: { file: "a.c", line: 2 }, isBeforeTests: true }],
      tests: [
        { name: "adds", suite: "a", status: "passed", durationMs: 3 },
        { name: "adds", suite: "a", status: "failed", message: "wrong", place: { file: "a.js", line: 4 } },
        { name: "later", status: "skipped", message: "not yet" },
        { name: "waits", status: "stuck" },
      ],
      stuck: [],
    }),
  );
  const summary = { passed: 1, failed: 2, skipped: 1, stuck: 1, duration_ms: 5 };
  const report = await reportOfTests({ framework: "tap", summary, failures: [], details }, {
    root: "/work/shop",
    startedAt: new Date(1000),
    exitCode: 1,
  });
  const started_at = "1970-01-01T00:00:01.000Z";
  t.match(report, {
    started_at,
    plugin: { name: "shop" },
    summary: { total: 5, passed: 1, failed: 3, skipped: 1 },
    tests: [
      { name: "(before the tests)", status: "failed", file: "a.c", line: 2 },
      { name: "adds", tool: "a", status: "passed", duration_ms: 3, started_at },
      { name: "adds", tool: "a", status: "failed", message: "wrong", file: "a.js", line: 4 },
      { name: "later", status: "skipped", note: "not yet" },
      { name: "waits", status: "failed", message: "It was stuck" },
    ],
  });
  t.equal(new Set(report.tests.map(({ id }) => id)).size, 5, "each has an id of its own");
});
