import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { expectedSeconds, readTestTimes, writeTestTimes } from "../../../scripts/testing/test_times.ts";
import { readDirectives } from "../../../scripts/testing/test_file.ts";

t.test("what was measured is added to what was, and a file that cannot be read is written anew", async (t) => {
  const root = t.testdir({});
  const file = readDirectives("test/src/a_test.ts", "");
  const other = readDirectives("test/src/b_test.ts", "");
  const run = (platform: "deno" | "node", durationMs: number, of = file) => ({
    ...{ file: of, platform, durationMs, stderr: "" },
    ...{ passed: 1, failed: 0, skipped: [], failures: [] },
  });
  t.same(await readTestTimes(root), {});
  await writeTestTimes(root, [run("deno", 1234), run("node", 50)]);
  await writeTestTimes(root, [run("deno", 2000), run("deno", 10, other)]);
  const times = await readTestTimes(root);
  t.same(times, {
    "deno test/src/a_test.ts": 2,
    "node test/src/a_test.ts": 0.05,
    "deno test/src/b_test.ts": 0.01,
  });
  t.equal(expectedSeconds(times, file, "deno"), 2);
  t.ok(expectedSeconds(times, other, "node") > 0, "what was not measured is guessed");
  await writeFile(join(root, ".build/test-times.json"), '{ "deno te');
  t.same(await readTestTimes(root), {});
});
