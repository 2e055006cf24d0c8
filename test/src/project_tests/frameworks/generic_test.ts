import t from "tap";
import generic from "../../../../src/project_tests/frameworks/generic.ts";
import {
  projectFor,
  recordedRun,
  testFrameworkContract,
  toldIn,
} from "../../../contracts/test_framework_contract.ts";

const project = projectFor({ command: "make check" });

const told = (code: number | null, ...lines: string[]) => {
  const reader = generic.reader(project);
  return toldIn([
    ...reader.push("stdout", lines.map((line) => `${line}\n`).join("")),
    ...reader.end({ code, signal: code === null ? "SIGKILL" : null }),
  ]);
};

t.test("is chosen by a command alone, behind every other framework", async (t) => {
  t.equal(await generic.detect(projectFor()), undefined);
  t.equal((await generic.detect(project))?.confidence, 1);
});

t.test("a level without a command to choose by is refused with a way out", (t) => {
  t.throws(
    () => generic.plan(projectFor({ command: "make check", level: "unit" }), { scratch: "/s", events: "/e" }),
    { code: "INVALID_INPUT" },
  );
  t.end();
});

t.test("recorded runs in the words of several runners", (t) => {
  const runs: Record<string, string[]> = {
    tap: [
      "passed adds",
      "failed subtracts at lib/sub.js:12:   message: 1 is not 2",
      "skipped slow: no network",
      "skipped later: unfinished",
      "passed ok 5",
    ],
    unittest: [
      "failed test_bad (__main__.A.test_bad)",
      "passed test_ok (__main__.A.test_ok)",
      "skipped test_skip (__main__.A.test_skip): not today",
    ],
    lies: ["failed make check: exit code 0: 2 passed, 1 failed"],
    silent: ["failed make check at src/a.c:3: exit code 2: expected ';'"],
    short: ["passed a", "passed b", "broken []: 2 of 3 tests were run"],
    go: [
      "passed TestFine",
      "failed TestPanics at crash/crash_test.go:7: panic: assignment to entry in nil map [recovered]",
    ],
    rust: ["passed fine", "passed whole", "broken []: exit code 101, though no line says that a test failed"],
  };
  for (const [name, expected] of Object.entries(runs)) {
    const run = recordedRun(`generic/${name}`);
    testFrameworkContract(t, { framework: generic, run, expected, project, tellsEnd: false });
  }
  t.end();
});

t.test("the exit code decides, and what says that it failed is never green", (t) => {
  t.strictSame(told(0, "all is well"), ["passed make check"]);
  t.strictSame(told(3, "PASS: a"), [
    "passed a",
    "broken []: exit code 3, though no line says that a test failed",
  ]);
  t.strictSame(told(0, "PASS: a", "FAIL: b"), ["passed a", "failed b"]);
  t.strictSame(told(0, "PASS: a", "1 test failed"), [
    "passed a",
    "broken []: exit code 0, though the output says: 1 test failed",
  ]);
  t.strictSame(told(0, "PASS: a", "5 passed, 0 failed, 2 expected failures, 1 xfailed"), ["passed a"]);
  t.strictSame(told(null, "PASS: a"), ["passed a", "broken []: the command was ended by SIGKILL"]);
  t.strictSame(told(0, "1..2", "ok 1 a", "ok 2 b", "1..2", "ok 1 c"), [
    "passed a",
    "passed b",
    "passed c",
    "broken []: 3 of 4 tests were run",
  ]);
  t.strictSame(told(null), ["broken []: the command was ended by SIGKILL"]);
  t.end();
});

t.test("results in the forms that are usual", (t) => {
  const forms: Record<string, string> = {
    "PASS: a.sh": "passed a.sh",
    "XFAIL: a.sh": "passed a.sh",
    "SKIP: a.sh": "skipped a.sh",
    "--- FAIL: TestA (0.01s)": "failed TestA",
    "[ PASSED ] a b (3 ms)": "passed a b",
    "  ✓ adds (2ms)": "passed adds",
    "  ✗ adds": "failed adds",
    "test a::b ... FAILED": "failed a::b",
    "t/basic.t .... ok": "passed t/basic.t",
    "tests/a.py::test_b PASSED   [ 50%]": "passed tests/a.py::test_b",
    "not ok 3 - a # time=2ms": "failed a",
  };
  for (const [line, expected] of Object.entries(forms)) t.equal(told(0, line)[0], expected, line);
  for (const line of ["okay", "passing by", "everything is ok", "failed to connect", "FAILURE", "a ... b"]) {
    t.strictSame(told(0, line), ["passed make check"], line);
  }
  t.end();
});
