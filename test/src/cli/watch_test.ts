import { join } from "node:path";
import type { Session } from "../../../src/api/harness.ts";
import t from "tap";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { TestImpact } from "../../../machines/model/coverage.ts";
import { affectedTests, resultsBlock } from "../../../src/cli/watch/play_changes.ts";
import {
  differences,
  snapshotDirectory,
  waitForCause,
  type WatchKey,
} from "../../../src/cli/watch/wait_for_cause.ts";
import { makeTempDir, mkdir, removeIfExists, writeTextFile } from "../../../src/platform/files.ts";
import { testOf } from "../testing/observed.ts";

const photo = (files: Record<string, string>) => new Map(Object.entries(files));

t.test("what came, went or changed differs", (t) => {
  t.same(differences(photo({ a: "1", b: "1", c: "1" }), photo({ a: "1", b: "2", d: "1" })), ["b", "c", "d"]);
  t.same(differences(photo({ a: "1" }), photo({ a: "1" })), []);
  t.end();
});

t.test("a change counts once it has settled, and is told with all that came with it", async (t) => {
  const looks = [{ a: "1" }, { a: "2" }, { a: "2", b: "1" }, { a: "2", b: "1" }].map(photo);
  let at = 0;
  const cause = await waitForCause({
    before: photo({ a: "1" }),
    look: () => Promise.resolve(looks[at++]!),
    key: () => undefined,
    signal: new AbortController().signal,
  });
  t.match(cause, { kind: "changed", paths: ["a", "b"] });
  t.equal(at, 4);
});

t.test("what was changed and put back is no cause; a key and an interruption are", async (t) => {
  const looks = [{ a: "2" }, { a: "1" }, { a: "1" }].map(photo);
  const keys: (WatchKey | undefined)[] = [undefined, undefined, undefined, "f"];
  const watched = {
    before: photo({ a: "1" }),
    look: () => Promise.resolve(looks.shift() ?? photo({ a: "1" })),
    key: () => keys.shift(),
    signal: new AbortController().signal,
  };
  t.same(await waitForCause(watched), { kind: "key", key: "f" });
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 20);
  t.same(await waitForCause({ ...watched, signal: controller.signal }), { kind: "interrupted" });
});

t.test("tests that stand for the plugin's own are looked at, too", async (t) => {
  const folder = await makeTempDir({ prefix: "pth-watch-test-" });
  t.teardown(() => removeIfExists(folder));
  for (const path of ["plugin", "tests"]) await mkdir(join(folder, path));
  await writeTextFile(join(folder, "plugin/server.mjs"), "");
  await writeTextFile(join(folder, "tests/a.yaml"), "");
  const seen = await snapshotDirectory(join(folder, "plugin"), join(folder, "tests"));
  t.same([...seen.keys()], ["server.mjs", join(folder, "tests/a.yaml")]);
});

/** A session of three tests, two of which ran, that knows what a change reaches. */
function session(impact: Partial<TestImpact>, measured = false, own: TestCase[] = []) {
  const asked: unknown[] = [];
  const source = measured ? "measured" as const : "static" as const;
  return {
    asked,
    tests: {
      list: () => [...["a", "b", "new"].map((id) => testOf({ id })), ...own],
      results: () => ({ results: [{ id: "a" }, { id: "b" }, { id: "own:c" }] }) as never,
    } as never,
    report: () => ({ impact: { source, tests: {}, notes: [], functions: { "x.ts": [] } } }) as never,
    coverage: {
      impact: (request: unknown) => {
        asked.push(request);
        return Promise.resolve({ source, tests: [], changes: [], unknown: [], notes: [], ...impact });
      },
    } as Session["coverage"],
  };
}

t.test("edited test files run their tests and new ones, and no source is asked about", async (t) => {
  const asked = session({});
  t.same(await affectedTests(asked, [], ["b"]), { ids: ["b", "new"], why: "changed or new" });
  t.same(asked.asked, []);
});

t.test("source that changed runs own tests, of which nothing is known; test files of PTH's do not", async (t) => {
  const asked = session({ tests: ["a"] }, false, [testOf({ id: "own:c", own: { framework: "pytest" } })]);
  t.match(await affectedTests(asked, ["x.ts"], []), { ids: ["a", "new", "own:c"] });
  t.match(await affectedTests(asked, [], ["b"]), { ids: ["b", "new"] });
});

t.test("source runs what it reaches; what nobody knows runs all", async (t) => {
  const read = session({ tests: ["a"] });
  t.match(await affectedTests(read, ["x.ts"], []), { ids: ["a", "new"], why: /according to the source/ });
  t.same(read.asked, [{ files: [{ path: "x.ts" }] }]);
  const measured = session({ tests: ["b"] }, true);
  t.match(await affectedTests(measured, ["x.ts"], []), { ids: ["b", "new"], why: /according to coverage/ });
  t.same(measured.asked, [{}], "a measured map knows itself what differs");
  await affectedTests(measured, ["x.ts", "words.json"], []);
  t.same(
    measured.asked.slice(1),
    [{}, { files: [{ path: "words.json" }] }],
    "but nothing of files that it does not name",
  );
  const unknown = await affectedTests(session({ unknown: ["package.json"] }), ["package.json"], []);
  t.match(unknown, { why: "all, since it is unknown which tests need package.json" });
  t.equal(unknown.ids, undefined);
});

t.test("a round's block names what failed and counts the rest", (t) => {
  const summary = { total: 3, passed: 1, failed: 1, skipped: 0, flaky: 1, durationMs: 40 };
  const text = resultsBlock(summary, [
    { name: "a", status: "passed" },
    { name: "b", status: "failed", message: "expected 4\n\u001b[31mgot 5" },
    { name: "c", status: "flaky", message: "oh", note: "failed 1 of 3 runs" },
  ] as never);
  t.equal(
    text,
    "  ✗ b\n      expected 4\n      got 5\n  ~ c\n      failed 1 of 3 runs\n  ✗ 1 passed, 1 failed, 1 flaky in 40 ms",
  );
  t.end();
});
