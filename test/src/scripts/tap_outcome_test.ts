import t from "tap";
import { readOutcome } from "../../../scripts/testing/tap_outcome.ts";

const exited = (code: number) => ({ code, signal: null });
const passing = "TAP version 14\nok 1 - first\nok 2 - second # SKIP no engine\n1..2\n";
const nested = `TAP version 14
# Subtest: adds
    # Subtest: negative numbers
        not ok 1 - should be equal
          ---
          at:
            lineNumber: 7
          ...
        1..1
    not ok 1 - negative numbers # time=1ms
    1..1
not ok 1 - adds # time=2ms
1..1
`;

t.test("counts top-level tests and keeps the reasons of skips", (t) => {
  const outcome = readOutcome(passing, exited(0));
  t.equal(outcome.passed, 1);
  t.equal(outcome.failed, 0);
  t.same(outcome.skipped, [{ name: "second", reason: "no engine" }]);
  t.end();
});

t.test("names a nested failure by the tests around it and keeps its details", (t) => {
  const outcome = readOutcome(nested, exited(1));
  t.equal(outcome.failed, 1);
  t.match(outcome.failures, [{
    name: /adds.*negative numbers.*should be equal/,
    details: { at: { lineNumber: 7 } },
  }]);
  t.equal(outcome.failures.length, 1);
  t.end();
});

t.test("a file that runs no test fails", (t) => {
  t.match(readOutcome("", exited(0)), { failed: 1, failures: [{ name: "ran no test" }] });
  t.match(readOutcome("", exited(3)), { failed: 1, failures: [{ name: /exited with 3 before any test/ }] });
  t.end();
});

t.test("a file that breaks after its tests fails", (t) => {
  t.match(readOutcome(passing, exited(1)), {
    passed: 1,
    failed: 1,
    failures: [{ name: /after its tests passed/ }],
  });
  t.match(readOutcome(passing, { code: null, signal: "SIGSEGV" }), {
    failed: 1,
    failures: [{ name: /SIGSEGV/ }],
  });
  t.end();
});

t.test("a file that is stopped fails with the time it had", (t) => {
  const ending = { code: null, signal: "SIGKILL", timedOutAfterSeconds: 90 };
  t.match(readOutcome("TAP version 14\nok 1 - first\n", ending).failures.at(-1)?.name, /stopped after 90 s/);
  t.end();
});
