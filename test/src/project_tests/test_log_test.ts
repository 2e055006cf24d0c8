/** Verdicts of what frameworks tell: nothing that does not fit together is taken for passed. */
import t from "tap";
import type { ProjectTestEvent } from "../../../machines/model/project_test.ts";
import { TestLog } from "../../../src/project_tests/test_log.ts";

const passed = (name: string, suite?: string): ProjectTestEvent => ({
  type: "finished",
  test: suite === undefined ? { name } : { name, suite },
  outcome: { status: "passed" },
});
const failed = (name: string): ProjectTestEvent => ({
  type: "finished",
  test: { name },
  outcome: { status: "failed", message: "no" },
});
const started = (name: string): ProjectTestEvent => ({ type: "started", test: { name } });

const ok = { code: 0, signal: null, isEnded: false };
const crash = { code: null, signal: "SIGSEGV", isEnded: false };
const quiet = { stderr: "" };

function logOf(...events: ProjectTestEvent[]): TestLog {
  const log = new TestLog(() => 0);
  for (const event of events) log.take(event);
  return log;
}

t.test("tests are kept with their ends; two of a name in different suites are two", (t) => {
  const log = logOf(started("a"), passed("a"), passed("a", "s"), failed("b"));
  t.strictSame(log.endCommand({ ...ok, code: 1 }, quiet), []);
  t.match(log.tests(), [
    { name: "a", status: "passed" },
    { name: "a", suite: "s", status: "passed" },
    { name: "b", status: "failed", message: "no" },
  ]);
  t.strictSame(log.problems, []);
  t.end();
});

t.test("an exit code without a failure is a failure of the run, with what the process said last", (t) => {
  const log = logOf(passed("a"));
  log.endCommand({ ...ok, code: 3 }, { stderr: "teardown broke\n" });
  t.match(log.problems, [{ message: "The run failed though no test failed: exit code 3\nteardown broke" }]);
  t.end();
});

t.test("fewer tests than were planned are a failure of the run", (t) => {
  const log = logOf({ type: "planned", tests: 3 }, passed("a"));
  log.endCommand(ok, quiet);
  t.match(log.problems, [{ message: /^2 of 3 tests did not run/ }]);
  t.end();
});

t.test("a suite that was cut short is a failure of the run, also where the process ended well", (t) => {
  const log = logOf(passed("a"), { type: "suite_ended", suite: "s", complete: false, reason: "no end" });
  log.endCommand(ok, quiet);
  t.match(log.problems, [{ message: /s: no end/ }]);
  t.end();
});

t.test("a test that ran when the process ended has crashed, whatever the exit code is", (t) => {
  for (const exit of [crash, ok]) {
    const log = logOf(passed("a"), started("b"));
    t.strictSame(log.endCommand(exit, quiet), [{ name: "b" }]);
    t.match(log.tests(), [{ status: "passed" }, {
      name: "b",
      status: "crashed",
      message: /while this test ran/,
    }]);
  }
  t.end();
});

t.test("a suspect takes over what the test came to alone", (t) => {
  const log = logOf(started("a"), started("b"), started("c"));
  const suspects = log.endCommand(crash, quiet);
  t.equal(suspects.length, 3);
  const alone = [logOf(started("a")), logOf(failed("b")), logOf(passed("c"))];
  alone[0]!.endCommand(crash, quiet);
  alone.forEach((each, at) => log.settle(suspects[at]!, each));
  t.match(log.tests(), [
    { name: "a", status: "crashed", message: /SIGSEGV, also alone/ },
    { name: "b", status: "failed", message: "no" },
    { name: "c", status: "failed", message: /alone the test ends as it should/ },
  ]);
  t.end();
});

t.test("what PTH ended itself did not crash", (t) => {
  const log = logOf(started("a"));
  log.endCommand({ code: null, signal: "SIGKILL", isEnded: true }, quiet);
  t.match(log.tests(), [{ name: "a", status: "not_finished" }]);
  t.strictSame(log.problems, []);
  t.end();
});

t.test("a test that ends twice counts twice, as frameworks count", (t) => {
  const log = logOf(passed("a"), passed("a"), failed("a"));
  t.match(log.tests().map(({ status }) => status), ["passed", "passed", "failed"]);
  t.end();
});

t.test("output is kept with its beginning and its end", (t) => {
  const log = logOf(started("a"));
  log.take({ type: "output", test: { name: "a" }, text: "first " });
  for (let piece = 0; piece < 100; piece++) {
    log.take({ type: "output", test: { name: "a" }, text: "x".repeat(10_000) });
  }
  log.take({ type: "output", test: { name: "a" }, text: " last" });
  const [{ output = "" } = {}] = log.tests();
  t.match(output, /^first x+/);
  t.match(output, / last$/);
  t.match(output, /characters left out/);
  t.ok(output.length < 200_000);
  t.end();
});

t.test("more tests than can be kept are counted", (t) => {
  const log = new TestLog();
  for (let at = 0; at < 100_050; at++) log.take(passed(`t${at}`));
  t.equal(log.tests().length + log.uncounted.passed, 100_050);
  t.end();
});
