import t from "tap";
import { describeFile } from "../../../scripts/testing/report.ts";

t.test("a failure whose details hold what YAML does not know is told, too", (t) => {
  const details = { made: () => 1, sign: Symbol("s"), when: new Date(0), known: new Map([[1, 2]]), last: 7n };
  const text = describeFile({
    file: { path: "test/src/a_test.ts", timeoutSeconds: 90, slow: false, alone: false },
    platform: "deno",
    durationMs: 1200,
    passed: 1,
    failed: 1,
    skipped: [],
    failures: [{ name: "adds > should be equal", details }],
    stdout: "",
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
