import t from "tap";
import { type Act, planned, stage } from "./suite_stage.ts";

t.test("a crashed server fails its own test with its exit code, is replaced, and the rest goes on", async (t) => {
  const tests = ["a", "b", "c"].map((id) => planned(id));
  const { verdicts, log, finished } = stage(({ input }) => input["text"] === "b" ? "crash" : "hi", { tests });
  const { context } = await finished;
  t.equal(context.end, "complete");
  t.match(verdicts, {
    a: { status: "passed" },
    b: { status: "failed", message: "exit 3" },
    c: { status: "passed" },
  });
  t.same(log.opened, ["connection-1", "connection-2"]);
  t.not(verdicts["c"]!.pid, verdicts["a"]!.pid, "another process served the test after the crash");
});

t.test("a test that runs into its limit fails alone and its server is replaced", async (t) => {
  const tests = ["a", "b"].map((id) => planned(id));
  const { verdicts, log, clock, finished } = stage(({ input }) => input["text"] === "a" ? "silence" : "hi", {
    tests,
  });
  while (log.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  clock.increment(999);
  t.notOk(verdicts["a"], "not before its limit");
  clock.increment(1);
  await finished;
  t.match(verdicts, { a: { status: "failed", message: "timeout 1000" }, b: { status: "passed" } });
  t.same(log.closed, ["connection-1"]);
});

t.test("a generated test waits for a server that lives, as some answer after half a minute on purpose", async (t) => {
  const tests = [{ ...planned("a"), timeoutMs: 10_000, extendable: true }];
  for (const [alive, seconds] of [[true, 40], [false, 10]] as const) {
    const { verdicts, log, clock, finished } = stage(() => "silence", { tests, alive });
    while (log.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    clock.increment(10_000);
    // The answer to the ping comes without the clock.
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (alive) {
      clock.increment(29_999);
      t.notOk(verdicts["a"], "not before it had as much time as a long poll takes");
      clock.increment(1);
    }
    await finished;
    t.match(verdicts, { a: { status: "failed", message: `timeout ${seconds * 1000}` } });
  }
});

t.test("a teardown without end is ended and told, and the next test begins", async (t) => {
  const tests = [planned("a", { teardown: [{ exec: "sleep 3600" }] }), planned("b")];
  const { verdicts, log, clock, finished } = stage(() => "hi", { tests });
  while (log.cleaned.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  clock.increment(29_999);
  t.notOk(verdicts["a"], "it has more time than the test's own second");
  clock.increment(1);
  await finished;
  t.match(verdicts, {
    a: { status: "passed", note: "teardown failed: it took more than 30 s and was ended" },
    b: { status: "passed" },
  });
  t.same(log.cleaned, ["begun", "ended"], "what it had begun is ended, too");
});

t.test("a suite that is cancelled ends when its tests have taken away what they made", async (t) => {
  const teardown = [{ exec: "rm made" }];
  const tests = [planned("a", { teardown }), planned("b", { teardown }), planned("c", { teardown })];
  const { verdicts, log, finished, cancel, cleaned } = stage(() => "silence", { tests, workers: 2 });
  while (log.calls.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  cancel();
  t.same(log.cleaned, ["begun", "begun"], "those in flight, and no other");
  t.same(verdicts, {});
  cleaned();
  const { context } = await finished;
  t.equal(context.end, "cancelled");
  const skipped = { status: "skipped", note: "cancelled while it ran" };
  t.match(verdicts, { a: skipped, b: skipped });
  t.notOk(verdicts["c"], "what did not begin has no result");
  t.same(log.closed.length, 2, "their servers are not used any more");
});

t.test("a cancelled suite does not wait for ever for a teardown", async (t) => {
  const tests = [planned("a", { teardown: [{ exec: "sleep 3600" }] })];
  const { verdicts, log, clock, finished, cancel } = stage(() => "silence", { tests });
  while (log.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  cancel();
  clock.increment(30_000);
  const { context } = await finished;
  t.equal(context.end, "cancelled");
  t.match(verdicts["a"], {
    status: "skipped",
    note: /cancelled while it ran; teardown failed: .* more than 30 s/,
  });
  t.same(log.cleaned, ["begun", "ended"]);
});

t.test("when enough tests have failed, those in flight still take away what they made", async (t) => {
  const tests = ["a", "b"].map((id) => planned(id, { teardown: [{ exec: "rm made" }] }));
  const { verdicts, log, finished, cleaned, clock } = stage(
    ({ input }) => input["text"] === "a" ? "crash" : "silence",
    { tests, workers: 2, bail: 1 },
  );
  while (log.cleaned.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  cleaned();
  await new Promise((resolve) => setTimeout(resolve, 5));
  t.match(verdicts, { a: { status: "failed" } });
  clock.increment(1000);
  while (log.cleaned.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  cleaned();
  const { context } = await finished;
  t.same(log.cleaned, ["begun", "begun"]);
  t.match(verdicts, { b: { status: "failed" } });
  t.equal(context.end, "complete");
});

t.test("tests fan out over as many servers as there are workers, and no more", async (t) => {
  const tests = Array.from({ length: 12 }, (_, at) => planned(`t${at}`));
  const { verdicts, log, finished } = stage(() => "hi", { tests, workers: 4 });
  await finished;
  t.equal(log.opened.length, 4);
  t.equal(log.most, 4);
  t.equal(Object.keys(verdicts).length, 12);
});

t.test("bail stops after so many failures and says so", async (t) => {
  const tests = Array.from({ length: 6 }, (_, at) => planned(`t${at}`));
  const { verdicts, finished } = stage(() => "crash", { tests, bail: 2 });
  const { context } = await finished;
  t.equal(context.end, "bailed");
  t.equal(Object.keys(verdicts).length, 2);
});

t.test("a server that cannot be replaced refuses those who wait, after three tries", async (t) => {
  const tests = ["a", "b"].map((id) => planned(id));
  const { verdicts, log, finished } = stage(() => "crash", { tests, openFails: 99 });
  await finished;
  t.match(verdicts, { a: { message: "exit 3" }, b: { status: "failed" } });
  t.ok(log.opened.length >= 4, "the first, and three that failed");
});

t.test("a control that an earlier test has answered is not called again", async (t) => {
  const valid = planned("valid", { expect: { well_behaved: true }, input: { text: "x" } });
  const negative = planned("negative", { control: { input: { text: "x" } } });
  const { log, finished } = stage(() => "hi", { tests: [valid, negative] });
  await finished;
  t.same(log.calls, ["valid:call", "negative:call"]);
});

t.test("a tool that refuses its control is called with the invalid input, since how it refuses that may decide", async (t) => {
  const negative = planned("negative", { control: { input: { text: "x" } } });
  const { log, verdicts, finished } = stage(() => "refused", { tests: [negative] });
  await finished;
  t.same(log.calls, ["negative:control", "negative:call"]);
  t.equal(verdicts["negative"]!.note, "inconclusive");
});

t.test("a tool that gave no answer is not waited for again; other tools and tests by hand are run", async (t) => {
  const wellBehaved = { expect: { well_behaved: true } };
  const tests = [
    planned("first", wellBehaved),
    planned("second", wellBehaved),
    planned("negative", { expect: { refuses: "wrong_type" } }),
    planned("other tool", { ...wellBehaved, tool: "add" }),
    planned("by hand"),
  ];
  const { verdicts, log, clock, finished } = stage(
    ({ input }) => input["text"] === "first" ? "silence" : "hi",
    {
      tests,
    },
  );
  while (log.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  clock.increment(1000);
  await finished;
  const spared = { status: "skipped", note: 'not run: echo gave no answer in "first"' };
  t.match(verdicts, {
    first: { status: "failed" },
    second: spared,
    negative: spared,
    "other tool": { status: "passed" },
    "by hand": { status: "passed" },
  });
});

t.test("a tool that is named like a method of every object is tested like any other", async (t) => {
  const { verdicts, finished } = stage(() => "hi", {
    tests: ["constructor", "toString"].map((tool) => planned(tool, { tool, expect: { well_behaved: true } })),
  });
  await finished;
  t.match(verdicts, { constructor: { status: "passed" }, toString: { status: "passed" } });
});

t.test("nothing but silence in a generated test spares others", async (t) => {
  const tests = [
    planned("by hand"),
    planned("crashes", { expect: { well_behaved: true } }),
    planned("last", { expect: { well_behaved: true } }),
  ];
  const acts: Record<string, string> = { "by hand": "silence", crashes: "crash" };
  const { verdicts, log, clock, finished } = stage(({ input }) => acts[String(input["text"])] ?? "hi", {
    tests,
  });
  while (log.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  clock.increment(1000);
  await finished;
  t.match(verdicts, {
    "by hand": { status: "failed" },
    crashes: { status: "failed" },
    last: { status: "passed" },
  });
});

/** Crashes on the calls of the numbers given, counted over each text by itself. */
function crashingOn(numbers: Record<string, number[]>): Act {
  const calls = new Map<string, number>();
  return ({ input }) => {
    const text = String(input["text"]);
    const number = (calls.get(text) ?? 0) + 1;
    calls.set(text, number);
    return numbers[text]?.includes(number) ? "crash" : "hi";
  };
}

t.test("what failed runs again after all others; a pass among its runs makes it flaky", async (t) => {
  const tests = ["once", "twice", "sound", "broken"].map((id) => planned(id));
  const act = crashingOn({ once: [1], twice: [1, 2], broken: [1, 2, 3] });
  const { verdicts, log, finished } = stage(act, { tests, retries: 2 });
  await finished;
  t.match(verdicts, {
    once: { status: "flaky", message: "exit 3", note: "failed 1 of 3 runs" },
    twice: { status: "flaky", note: "failed 2 of 3 runs" },
    sound: { status: "passed" },
    broken: { status: "failed", note: "failed all 3 runs" },
  });
  const order = log.calls.map((call) => call.replace(":call", ""));
  t.same(order.slice(0, 4), ["once", "twice", "sound", "broken"]);
  t.same(order.slice(4), ["once", "twice", "broken", "once", "twice", "broken"]);
  t.same(log.retried.filter((run) => run.startsWith("broken")), ["broken 1", "broken 2"]);
});

t.test("without retries a failure is told at once", async (t) => {
  const { verdicts, log, finished } = stage(crashingOn({ once: [1] }), { tests: [planned("once")] });
  await finished;
  t.match(verdicts, { once: { status: "failed" } });
  t.notOk(verdicts["once"]!.note);
  t.same(log.calls.length, 1);
});

t.test("runs of what failed are alone, also where tests ran side by side", async (t) => {
  const tests = Array.from({ length: 8 }, (_, at) => planned(`t${at}`));
  const first = new Set<string>();
  let busy = 0;
  const besideOthers: number[] = [];
  const { verdicts, finished } = stage(({ input }) => {
    const text = String(input["text"]);
    if (!first.has(text)) return first.add(text) && "crash";
    besideOthers.push(busy++);
    setTimeout(() => busy--, 0);
    return "hi";
  }, { tests, workers: 4, retries: 1 });
  await finished;
  t.ok(Object.values(verdicts).every(({ status }) => status === "flaky"));
  t.same(besideOthers, Array.from({ length: 8 }, () => 0));
});

t.test("bail counts what fails for good: a flaky test lets the rest run", async (t) => {
  const tests = ["flaky", "a", "broken", "b"].map((id) => planned(id));
  const act = crashingOn({ flaky: [1], broken: [1, 2] });
  const { verdicts, finished } = stage(act, { tests, retries: 1, bail: 1 });
  const { context } = await finished;
  t.equal(context.end, "bailed");
  t.match(verdicts, { flaky: { status: "flaky" }, a: { status: "passed" }, broken: { status: "failed" } });
  t.notOk(verdicts["b"], "nothing new begins after a failure that stays");
});

t.test("a test of several steps has no other beside it", async (t) => {
  const tests = ["a", "b", "c", "d", "e"].map((id) => planned(id, id === "c" ? { tier: 2 } : {}));
  const under = new Set<string>();
  const seen: Record<string, string[]> = {};
  const { finished } = stage(({ input }) => {
    const text = String(input["text"]);
    under.add(text);
    seen[text] = [...under];
    setTimeout(() => under.delete(text), 0);
    return "hi";
  }, { tests, workers: 3 });
  await finished;
  t.same(seen["c"], ["c"]);
  t.ok(Object.entries(seen).every(([id, beside]) => id === "c" || !beside.includes("c")), seen);
});
