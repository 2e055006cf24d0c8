import t from "tap";
import type { CallInput } from "../../machines/connection_machine.ts";
import type { PlannedTest } from "../../machines/model/observation.ts";
import { planned, stage } from "./suite_stage.ts";

/** A test of a group; its id begins with the group's name. */
const inGroup = (id: string, changes: object = {}): PlannedTest => ({
  ...planned(id, { tool: id[0], ...changes }),
  group: id[0]!,
});

const check = (id: string, changes: object = {}): PlannedTest => ({
  ...planned(id, { check: "answers_ping", tool: undefined }),
  ...changes,
});

/** Lets what was sent arrive. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}

const rules = { opensAhead: 1 };
const called = ({ input }: CallInput) => String(input["text"]);

t.test("tests of a group have a server that no other test uses", async (t) => {
  const users = new Map<string, Set<string>>();
  const act = (call: CallInput) => {
    const of = users.get(call.connectionId) ?? new Set();
    users.set(call.connectionId, of.add(called(call)[0]!));
    return "hi";
  };
  const tests = ["a1", "a2", "b1", "b2", "c1"].map((id) => inGroup(id));
  const { finished, verdicts, log } = stage(act, { tests, rules });
  await finished;
  t.same([...users.values()].map((of) => [...of]), [["a"], ["b"], ["c"]]);
  t.equal(Object.keys(verdicts).length, 5);
  t.equal(log.most, 1, "one after the other");
  t.ok(log.opened.length <= 4, "one for each group, and at most one that was opened ahead");
});

t.test("servers of the next groups are started ahead, as many as may be and no more than there are groups", async (t) => {
  for (const [opensAhead, opened] of [[0, 1], [2, 3], [9, 4]] as const) {
    const tests = ["a1", "a2", "b1", "b2", "c1", "d1"].map((id) => ({ ...inGroup(id), timeoutMs: 60_000 }));
    const { log, cancel, finished } = stage(() => "silence", { tests, rules: { opensAhead } });
    await until(() => log.calls.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    t.equal(log.opened.length, opened);
    cancel();
    await finished;
  }
});

t.test("a test by hand waits for no group and shares no server with one", async (t) => {
  const users: string[] = [];
  const act = (call: CallInput) => {
    users.push(`${called(call)} ${call.connectionId}`);
    return "hi";
  };
  const tests = [planned("hand"), inGroup("a1"), inGroup("b1")];
  await stage(act, { tests, rules }).finished;
  t.equal(new Set(users.map((user) => user.split(" ")[1])).size, 3);
});

t.test("a call of a group that takes long keeps no other waiting, not even of its own group", async (t) => {
  const tests = ["a1", "a2", "b1"].map((id) => inGroup(id, {}));
  const long = tests.map((test) => ({ ...test, timeoutMs: 60_000 }));
  const act = (call: CallInput) => called(call).startsWith("a") ? "silence" : "hi";
  const { log, verdicts, clock, cancel, finished } = stage(act, { tests: long, rules });
  await until(() => log.calls.length === 1);
  clock.increment(499);
  t.same(log.calls, ["a1:call"]);
  clock.increment(1);
  await until(() => log.calls.length === 2);
  clock.increment(500);
  await until(() => verdicts["b1"] !== undefined);
  t.same(log.calls, ["a1:call", "a2:call", "b1:call"]);
  cancel();
  await finished;
});

t.test("tests that began while their tool was only slow have not run once it proves to be silent", async (t) => {
  const tests = ["a1", "a2", "a3"].map((id) => ({ ...inGroup(id), openEnded: true }));
  const { log, verdicts, clock, finished } = stage(() => "silence", { tests, rules });
  await until(() => log.calls.length === 1);
  clock.increment(500);
  await until(() => log.calls.length === 2);
  clock.increment(500);
  await finished;
  const note = 'not run: a gave no answer in "a1"';
  t.match(verdicts, {
    a1: { status: "failed" },
    a2: { status: "skipped", note },
    a3: { status: "skipped", note },
  });
});

t.test("of a tool that has not answered yet two calls are open, and a third once all else has run", async (t) => {
  const tests = ["a1", "a2", "a3", "a4", "b1"].map((id) => ({ ...inGroup(id), timeoutMs: 60_000 }));
  const act = (call: CallInput) => called(call).startsWith("a") ? "silence" : "hi";
  const { log, verdicts, clock, cancel, finished } = stage(act, { tests, rules });
  await until(() => log.calls.length === 1);
  clock.increment(500);
  await until(() => log.calls.length === 2);
  clock.increment(500);
  await until(() => verdicts["b1"] !== undefined && log.calls.length === 4);
  clock.increment(5000);
  t.same(log.calls, ["a1:call", "a2:call", "b1:call", "a3:call"]);
  cancel();
  await finished;
});

t.test("a test whose control call is in flight as a test waits for it, and the call is made once", async (t) => {
  const expect = { well_behaved: true };
  const control = { input: { text: "a1" } };
  const tests = [inGroup("a1", { expect }), inGroup("a2"), inGroup("a3", { control }), inGroup("b1")]
    .map((test) => ({ ...test, timeoutMs: 60_000 }));
  const act = (call: CallInput) => called(call) === "a1" ? "silence" : "hi";
  const { log, verdicts, clock, cancel, finished } = stage(act, { tests, rules });
  await until(() => log.calls.length === 1);
  clock.increment(500);
  await until(() => verdicts["a2"] !== undefined && verdicts["b1"] !== undefined);
  t.same(log.calls, ["a1:call", "a2:call", "b1:call"], "others overtake it");
  clock.increment(60_000);
  await until(() => verdicts["a3"] !== undefined);
  t.same(log.calls.filter((id) => id.endsWith(":control")), []);
  t.match(verdicts["a3"], { status: "passed", note: "inconclusive" });
  cancel();
  await finished;
});

t.test("once a slow tool has answered, the rest of its tests go on beside each other", async (t) => {
  const tests = ["a1", "a2", "a3", "a4"].map((id) => ({ ...inGroup(id), timeoutMs: 60_000 }));
  const act = (call: CallInput) => called(call) === "a2" ? "hi" : "silence";
  const { log, verdicts, clock, cancel, finished } = stage(act, { tests, rules });
  await until(() => log.calls.length === 1);
  clock.increment(500);
  await until(() => verdicts["a2"] !== undefined && log.calls.length === 3);
  clock.increment(500);
  await until(() => log.calls.length === 4);
  t.same(log.calls, ["a1:call", "a2:call", "a3:call", "a4:call"]);
  cancel();
  await finished;
});

t.test("checks run one after the other beside the tests, those that call tools after them", async (t) => {
  const tests = [check("calls", { callsTools: true }), check("x"), check("y"), inGroup("a1"), inGroup("b1")];
  const { log, verdicts, check: end, finished } = stage(() => "hi", { tests, rules });
  await until(() => verdicts["b1"] !== undefined);
  const begun = () => log.checks.map(({ planned }) => planned.test.id);
  t.same(begun(), ["x"], "tests did not wait for it");
  end();
  await until(() => begun().length === 2);
  end();
  await until(() => begun().length === 3);
  t.same(begun(), ["x", "y", "calls"]);
  end();
  await finished;
  t.equal(Object.keys(verdicts).length, 5);
});

t.test("a check that calls tools hears which of them take long", async (t) => {
  const tests = [check("calls", { callsTools: true }), { ...inGroup("a1"), timeoutMs: 60_000 }];
  const { log, clock, check: end, cancel, finished } = stage(() => "silence", { tests, rules });
  await until(() => log.calls.length === 1);
  t.same(log.checks, []);
  clock.increment(500);
  await until(() => log.checks.length === 1);
  t.same(log.checks[0]!.slowTools, ["a"]);
  end();
  cancel();
  await finished;
});

t.test("a check that calls tools runs while the rest of a slow tool waits for its answer, and no test beside it", async (t) => {
  const tests = [check("calls", { callsTools: true }), ...["a1", "a2", "a3", "a4"].map((id) => inGroup(id))]
    .map((test) => ({ ...test, timeoutMs: test.test.id === "a2" ? 1000 : 60_000 }));
  const { log, verdicts, clock, check: end, cancel, finished } = stage(() => "silence", { tests, rules });
  await until(() => log.calls.length === 1);
  clock.increment(500);
  await until(() => log.calls.length === 2);
  clock.increment(500);
  await until(() => log.calls.length === 3);
  t.same(log.checks, [], "the third call may still be a quick one");
  clock.increment(500);
  await until(() => log.checks.length === 1);
  await until(() => verdicts["a2"] !== undefined);
  t.same(log.calls.slice(3), [], "the tool has ended a test, and the next one waits for the check");
  end();
  await until(() => log.calls.length === 4);
  t.same(log.calls, ["a1:call", "a2:call", "a3:call", "a4:call"]);
  cancel();
  await finished;
});

t.test("the next check and tests that wait do not wait for the end of a check's server", async (t) => {
  const calls = { callsTools: true };
  const tests = [check("c1", calls), check("c2", calls), ...["a1", "a2", "a3", "a4"].map((id) => inGroup(id))]
    .map((test) => ({ ...test, timeoutMs: test.test.id === "a2" ? 1000 : 60_000 }));
  const { log, verdicts, clock, check: end, checkEnds, cancel, finished } = stage(() => "silence", {
    tests,
    rules,
  });
  await until(() => log.calls.length === 1);
  for (const more of [2, 3]) {
    clock.increment(500);
    await until(() => log.calls.length === more);
  }
  clock.increment(500);
  await until(() => log.checks.length === 1 && verdicts["a2"] !== undefined);
  checkEnds();
  await until(() => log.calls.length === 4);
  t.equal(log.checks.length, 1, "a test goes first");
  clock.increment(500);
  await until(() => log.checks.length === 2);
  t.equal(verdicts["c1"], undefined, "beside the end of the first one's server");
  end();
  await until(() => verdicts["c1"] !== undefined && verdicts["c2"] !== undefined);
  cancel();
  await finished;
});

t.test("where coverage is measured nothing runs beside another", async (t) => {
  const tests = [check("x"), inGroup("a1")];
  const { log, check: end, finished } = stage(() => "hi", { tests, rules: { coverage: true } });
  await until(() => log.checks.length === 1);
  t.same(log.calls, []);
  end();
  await finished;
  t.same(log.calls, ["a1:call"]);
});

/** A server that remembers what was called on it: "bad" where `isBad` says so. */
function remembering(isBad: (text: string, before: string[]) => boolean) {
  const servers = new Map<string, string[]>();
  return (call: CallInput) => {
    const before = servers.get(call.connectionId) ?? [];
    const text = called(call);
    servers.set(call.connectionId, [...before, text]);
    return isBad(text, before) ? "bad" : "hi";
  };
}

const looking = { ...rules, checksOrder: true };
const groups = ["a1", "a2", "b1", "b2", "c1"].map((id) => inGroup(id));

t.test("a test that fails after another has failed, and the pair is told", async (t) => {
  const act = remembering((text, before) => text === "c1" && before.includes("a2"));
  const { verdicts, finished } = stage(act, { tests: groups, rules: looking });
  await finished;
  const message = 'passes on a fresh server and fails after "a2"';
  t.match(verdicts["c1"], { status: "failed", findings: [{ code: "depends-on-order" }] });
  t.match(verdicts["c1"]!.message, message);
  t.match(verdicts["c1"]!.findings![0]!.message, `"c1" ${message}`);
  t.equal(Object.values(verdicts).filter(({ status }) => status === "passed").length, 4);
});

t.test("a test that fails on a fresh server has failed, and the test that hides it is told", async (t) => {
  const act = remembering((text, before) => text === "b1" && !before.includes("a1"));
  const { verdicts, finished } = stage(act, { tests: groups, rules: looking });
  await finished;
  t.match(verdicts["b1"], { status: "failed", message: 'fails on a fresh server and passes after "a1"' });
  t.equal(Object.values(verdicts).filter(({ status }) => status === "passed").length, 4);
});

t.test("tests of a tool with one cause are searched once", async (t) => {
  const act = remembering((text, before) => text.startsWith("b") && before.includes("a1"));
  const { verdicts, finished } = stage(act, { tests: groups, rules: looking });
  await finished;
  t.match(verdicts["b1"], { status: "failed", findings: [{ code: "depends-on-order" }] });
  t.match(verdicts["b2"], {
    status: "failed",
    message: 'passes on a fresh server and fails after others, as "b1" does',
  });
  t.same(verdicts["b2"]!.findings, []);
});

t.test("a look at the order does not wait for a test that takes long", async (t) => {
  const act = (call: CallInput) => called(call) === "a2" ? "silence" : "hi";
  const tests = ["a1", "a2", "b1"].map((id) => ({ ...inGroup(id), timeoutMs: 60_000 }));
  const { log, verdicts, clock, cancel, finished } = stage(act, { tests, rules: looking });
  await until(() => log.calls.includes("a2:call"));
  t.same(Object.keys(verdicts), [], "it may still end soon");
  clock.increment(500);
  await until(() => verdicts["b1"] !== undefined);
  t.match(verdicts, { a1: { status: "passed" }, b1: { status: "passed" } });
  t.same(log.calls, ["a1:call", "a2:call", "a1:call", "b1:call", "b1:call"]);
  cancel();
  await finished;
});

t.test("a look at the order does not wait for tests that a slow call keeps waiting; they are looked at later", async (t) => {
  const act = (call: CallInput) => called(call) === "a2" ? "silence" : "hi";
  const expect = { well_behaved: true };
  const control = { input: { text: "a2" } };
  const tests = [
    inGroup("a1"),
    inGroup("a2", { expect }),
    inGroup("a4", { control }),
    inGroup("b1"),
    check("calls", { callsTools: true }),
  ].map((test) => ({ ...test, timeoutMs: 10_000 }));
  const { log, verdicts, clock, check: end, finished } = stage(act, { tests, rules: looking });
  await until(() => log.calls.includes("a2:call"));
  clock.increment(500);
  await until(() => verdicts["a1"] !== undefined && verdicts["b1"] !== undefined);
  await until(() => log.checks.length === 1);
  t.same(log.calls, ["a1:call", "a2:call", "a1:call", "b1:call", "b1:call"]);
  end();
  clock.increment(10_000);
  await finished;
  t.same(
    log.calls.slice(5),
    ["a4:call", "a4:call"],
    "it runs, and once more where all groups share a server",
  );
  t.equal(Object.keys(verdicts).length, 5);
});

t.test("a failure that does not come again makes a test flaky", async (t) => {
  let runs = 0;
  const act = (call: CallInput) => called(call) === "b1" && ++runs === 2 ? "bad" : "hi";
  const { verdicts, finished } = stage(act, { tests: groups, rules: looking });
  await finished;
  t.match(verdicts["b1"], { status: "flaky", note: "failed once after other tests, and not again" });
});

t.test("what fails from its second run on is laid on what it left outside of the server", async (t) => {
  let runs = 0;
  const act = (call: CallInput) => called(call) === "b1" && ++runs > 1 ? "bad" : "hi";
  const { verdicts, finished } = stage(act, { tests: groups, rules: looking });
  await finished;
  t.match(verdicts["b1"], { status: "failed", message: /the first time and fails from then on/ });
});

t.test("a suite that is cancelled while order is looked at tells each test once", async (t) => {
  let runs = 0;
  const act = (call: CallInput) => called(call) === "a1" && ++runs === 2 ? "silence" : "hi";
  const { verdicts, finished, cancel } = stage(act, { tests: groups, rules: looking });
  await until(() => runs === 2);
  t.same(verdicts, {}, "tests of the group are held");
  cancel();
  const { context } = await finished;
  t.equal(context.end, "cancelled");
  t.match(verdicts, { a1: { status: "passed" }, a2: { status: "passed" } });
  t.equal(Object.keys(verdicts).length, 2);
});
