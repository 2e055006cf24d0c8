import { join } from "node:path";
import t from "tap";
import { openReporters } from "../../../src/cli/open_reporters.ts";
import { makeTempDir, readTextFile, removeIfExists, writeTextFile } from "../../../src/platform/files.ts";
import github from "../../../src/testing/reporters/github.ts";
import spec from "../../../src/testing/reporters/spec.ts";
import { finished } from "../testing/reporters/recorded_run.ts";

t.test("the github reporter adds to the job's summary, and no other reporter does", async (t) => {
  const folder = await makeTempDir({ prefix: "pth-summary-" });
  t.teardown(() => removeIfExists(folder));
  const file = join(folder, "summary.md");
  await writeTextFile(file, "# From a step before\n");
  const output = { write: () => {}, isTerminal: false, colour: false, columns: () => 80 };
  const context = {
    stdout: output,
    stderr: output,
    env: (name: string) => name === "GITHUB_STEP_SUMMARY" ? file : undefined,
  };
  const request = { suite: {}, includeHeldBack: false, phases: [] };

  const quiet = await openReporters({ ...request, reporters: [{ definition: spec }] }, "x", context);
  await quiet.finish(finished, []);
  t.equal(await readTextFile(file), "# From a step before\n");

  const told = await openReporters({ ...request, reporters: [{ definition: github }] }, "x", context);
  await told.finish(finished, []);
  t.match(await readTextFile(file), /^# From a step before\n### ❌ 1 of 5 tests failed\n/);
});
