import t from "tap";
import type { CallInput } from "../../machines/connection_machine.ts";
import { planned, stage } from "./suite_stage.ts";

const check = (id: string) => planned(id, { check: "answers_ping", tool: undefined });
const inGroup = (id: string) => ({ ...planned(id, { tool: id[0] }), group: id[0]! });
const rules = { opensAhead: 1 };

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

t.test("a look at the order that finds no server says nothing", async (t) => {
  const tests = ["a1", "b1"].map(inGroup);
  const looking = { rules: { ...rules, checksOrder: true }, exclusive: true };
  const { log, verdicts, retain, finished } = stage(({ callId }) => {
    if (callId === "b1:call") retain();
    return "hi";
  }, { tests, ...looking });
  await finished;
  t.match(verdicts, { a1: { status: "passed" }, b1: { status: "passed" } });
  t.ok(log.calls.includes("b1:call"));
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

/** A server that ends at the call after one that leaves a crash behind. */
function leaving(leaves: (text: string) => boolean) {
  const latest = new Map<string, string>();
  return ({ connectionId, input }: CallInput) => {
    const before = latest.get(connectionId);
    latest.set(connectionId, String(input["text"]));
    return before !== undefined && leaves(before) ? "crash" : "hi";
  };
}

const shared = (id: string) => ({ ...inGroup(id), group: "all" });
const generated = (id: string) => {
  const planned = shared(id);
  return { ...planned, test: { ...planned.test, generatedFrom: "schema" as const } };
};

t.test("a crash that another tool left behind is laid on that tool", async (t) => {
  const tests = ["a1", "a2", "a3", "b1", "b2"].map(generated);
  const { verdicts, log, finished } = stage(leaving((text) => text.startsWith("a")), { tests, rules });
  await finished;
  t.match(verdicts, {
    a1: { status: "passed" },
    a2: { status: "failed" },
    a3: { status: "passed" },
    b1: { status: "passed", note: 'after "a3" the server ended at this call' },
    b2: { status: "passed" },
  });
  t.match(verdicts["b1"]!.findings, [{ code: "crash-left-behind", tool: "a" }]);
  t.same(log.retried, ["b1 1"]);
});

t.test("a crash that no test of the earlier tool shows stays a failure, which names it", async (t) => {
  const tests = ["a1", "b1", "b2"].map(generated);
  const { verdicts, finished } = stage(leaving((text) => text === "a1"), { tests, rules });
  await finished;
  t.match(verdicts["b1"], { status: "failed", message: 'passes on a fresh server: "a1" ran before it' });
  t.match(verdicts["b1"]!.findings, [{ code: "crash-left-behind", tool: "a" }]);
});

t.test("a test that ends a fresh server, too, has failed by itself", async (t) => {
  const tests = ["a1", "b1", "b2"].map(generated);
  const act = ({ input }: CallInput) => input["text"] === "b1" ? "crash" : "hi";
  const { verdicts, log, finished } = stage(act, { tests, rules });
  await finished;
  t.match(verdicts, {
    a1: { status: "passed" },
    b1: { status: "failed", message: "exit 3" },
    b2: { status: "passed" },
  });
  t.same(verdicts["b1"]!.findings, []);
  t.same(log.calls.filter((call) => call === "b1:call").length, 2);
});

t.test("tests by hand are not repeated for a crash", async (t) => {
  const tests = ["a1", "b1"].map((id) => ({ ...shared(id), group: undefined! }));
  const { verdicts, log, finished } = stage(leaving(() => true), { tests });
  await finished;
  t.match(verdicts["b1"], { status: "failed", message: "exit 3" });
  t.same(log.calls, ["a1:call", "b1:call"]);
});

t.test("a look at the order meets the crash of another tool, and lays it on that one", async (t) => {
  const tests = ["a1", "a2", "a3", "b1", "b2"].map((id) => ({ ...generated(id), group: id[0]! }));
  const looking = { ...rules, checksOrder: true };
  const { verdicts, finished } = stage(leaving((text) => text.startsWith("a")), { tests, rules: looking });
  await finished;
  t.match(verdicts, { a2: { status: "failed" }, b1: { status: "passed" }, b2: { status: "passed" } });
  t.match(verdicts["b1"]!.findings, [{ code: "crash-left-behind", tool: "a" }]);
});
