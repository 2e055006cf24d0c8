import t from "tap";
import { planned, stage } from "./suite_stage.ts";

const check = (id: string) => planned(id, { check: "answers_ping", tool: undefined });
const inGroup = (id: string) => ({ ...planned(id, { tool: id[0] }), group: id[0]! });
const rules = { opensAhead: true };

t.test("a check whose server does not start beside another runs again alone, and only that counts", async (t) => {
  const tests = [check("x"), check("y"), inGroup("a1"), inGroup("b1")];
  const { log, verdicts, finished } = stage(() => "hi", { tests, rules, exclusive: true });
  await finished;
  t.match(verdicts, {
    x: { status: "passed", note: "its server did not start beside another instance of the plugin" },
    y: { status: "passed" },
    a1: { status: "passed" },
    b1: { status: "passed" },
  });
  t.equal(verdicts["y"]!.note, undefined, "it waited, as one before it could not start");
  t.same(log.checks.map((input) => input.planned.test.id).sort(), ["x", "x", "y"]);
});

t.test("a test whose server does not start beside a check's instance runs again without it", async (t) => {
  const tests = ["a", "b", "c"].map((id) => planned(id));
  const { log, verdicts, retain, finished } = stage(({ callId }) => {
    if (callId !== "a:call") return "hi";
    retain();
    return "crash";
  }, { tests, exclusive: true });
  await finished;
  t.match(verdicts, {
    a: { status: "failed", message: "exit 3" },
    b: { status: "passed", note: /this run was alone/ },
  });
  t.match(verdicts["c"], { status: "passed" });
  t.same(log.calls, ["a:call", "b:call", "c:call"]);
});

t.test("what does not start alone either has failed, once for each", async (t) => {
  const tests = ["1", "2", "3"].map((id) => planned(id));
  const { log, verdicts, finished } = stage(() => "crash", { tests, openFails: 1000 });
  await finished;
  t.same(Object.values(verdicts).map(({ status }) => status), ["failed", "failed", "failed"]);
  t.ok(log.opened.length < 12, "they are not all tried again");
});

t.test("tests that wait to run alone are not told when the suite is cancelled", async (t) => {
  const tests = [check("x"), { ...inGroup("a1"), timeoutMs: 60_000 }];
  const { log, verdicts, cancel, finished } = stage(() => "silence", { tests, rules, exclusive: true });
  while (log.calls.length === 0 || log.checks.length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  cancel();
  await finished;
  t.notOk("x" in verdicts, "it has no verdict that counts");
});
