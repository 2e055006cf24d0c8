import t from "tap";
import { readDirectives } from "../../../scripts/testing/test_file.ts";
import { describeFile, describeTimes } from "../../../scripts/testing/report.ts";

t.test("a failure whose details hold what YAML does not know is told, too", (t) => {
  const details = { made: () => 1, sign: Symbol("s"), when: new Date(0), known: new Map([[1, 2]]), last: 7n };
  const text = describeFile({
    file: readDirectives("test/src/a_test.ts", ""),
    platform: "deno",
    durationMs: 1200,
    passed: 1,
    failed: 1,
    skipped: [],
    failures: [{ name: "adds > should be equal", details }],
    stderr: "",
  });
  t.match(text, /^FAIL deno test\/src\/a_test\.ts \(2 tests, 1\.2 s\)\n +adds > should be equal\n/);
  for (
    const part of ["made: ()", "sign: Symbol(s)", "when: 1970-01-01T00:00:00.000Z", "1: 2", "last: 7"]
  ) {
    t.match(text, part);
  }
  t.end();
});

t.test("the slowest files are told, the slowest first, and what each folder took", (t) => {
  const runs = Array.from({ length: 25 }, (_, at) => ({
    ...{ file: readDirectives(`test/src/${at % 2 ? "cli" : "core/text"}/f${at}_test.ts`, ""), stderr: "" },
    ...{ platform: "deno" as const, durationMs: at * 1000, passed: 1, failed: 0, skipped: [], failures: [] },
  }));
  const lines = describeTimes(runs).split("\n");
  t.match(lines, [/^Slowest 20 of 25 files:$/, / 24\.0 s {2}deno test\/src\/core\/text\/f24_test\.ts$/]);
  t.match(lines[20], / 5\.0 s .*f5_test/);
  t.match(lines.slice(21), [
    "By folder:",
    /156\.0 s {2}deno test\/src\/core \(13 files\)/,
    /144\.0 s .*cli \(12/,
  ]);
  t.equal(describeTimes(runs.slice(0, 3)), "", "a few files need no table");
  t.end();
});
