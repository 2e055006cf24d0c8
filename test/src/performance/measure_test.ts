/** Measuring against a server that a test plays, with a clock of its own. */
import t from "tap";
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import { PthError } from "../../../src/core/errors.ts";
import {
  type Benchmark,
  measureResponse,
  measureThroughput,
} from "../../../src/performance/measure_response.ts";
import { planMeasurements } from "../../../src/performance/plan_measurements.ts";
import { parseFileStamps, sideEffects } from "../../../src/performance/side_effects.ts";

const outcome = (text: string, isError = false): CallOutcome => ({
  kind: "result",
  raw: { text },
  text,
  isError,
  violations: [],
  durationMs: 1,
});

/** Each call takes so many milliseconds of the test's clock. */
function bench(
  answers: (input: Record<string, unknown>, call: number) => CallOutcome,
  callMs = 2,
): Benchmark & { calls: number } {
  let time = 0;
  const played = {
    calls: 0,
    call(_tool: string, input: Record<string, unknown>) {
      time += callMs;
      return Promise.resolve(answers(input, played.calls++));
    },
    gauge: undefined,
    listFiles: () => Promise.resolve(undefined),
    folder: "/p",
    now: () => time,
    signal: new AbortController().signal,
    seen() {},
  };
  return played;
}

const planned = (inputs: Record<string, unknown>[], calls = 10) => ({ tool: "x", inputs, calls });

t.test("a row of calls gives times, sizes and errors", async (t) => {
  const server = bench((_input, call) => outcome("abc", call === 5));
  const { measured } = await measureResponse(planned([{}]), server) as { measured: object };
  t.match(measured, { errors: 1, responseMs: { count: 10, p50: 2, max: 2 }, answerBytes: { p50: 14 } });
});

t.test("the first input that is accepted is taken; one that refuses all of them says why it has no figures", async (t) => {
  const picky = bench(({ a }) => outcome(a === 2 ? "fine" : "a must be 2", a !== 2));
  t.match(await measureResponse(planned([{ a: 1 }, { a: 2 }]), picky), {
    input: { a: 2 },
    measured: { errors: 0 },
  });
  t.match(await measureResponse(planned([{ a: 1 }]), picky), {
    reason: /it refuses what it was given: a must be 2/,
  });
  t.match(await measureResponse(planned([]), picky), { reason: /no input could be made/ });
});

t.test("a slow tool is called less often, and it is said", async (t) => {
  const slow = bench(() => outcome("late"), 3000);
  const { measured, notes } = await measureResponse(planned([{}], 20), slow) as {
    measured: { responseMs: object };
    notes: string[];
  };
  t.match(measured.responseMs, { count: 4, p50: 3000 });
  t.match(notes, [/x was called 4 times only/]);
});

t.test("what the calls used is told for one call", async (t) => {
  const usages = [
    { cpuMs: 100, memoryBytes: 1000, peakBytes: 1000, readBytes: 0, writtenBytes: 50 },
    { cpuMs: 150, memoryBytes: 3000, peakBytes: 9000, readBytes: 0, writtenBytes: 150 },
  ];
  const server = bench(() => outcome("x"));
  const gauge = {
    source: "test",
    restart: () => Promise.resolve(),
    read: () => Promise.resolve(usages.shift()!),
  };
  t.match(await measureResponse(planned([{}]), { ...server, gauge }), {
    measured: {
      cpuMsPerCall: 5,
      memoryGrowthBytes: 2000,
      memoryPeakBytes: 9000,
      memoryPeakGrowthBytes: 8000,
      diskWrittenBytes: 10,
    },
  });
});

t.test("a lost server and a cancelled measuring are not figures", async (t) => {
  const lost = bench(() => {
    throw new PthError("SERVER_LOST", "Cannot call: gone");
  });
  await t.rejects(measureResponse(planned([{}]), lost), { code: "SERVER_LOST" });
  await t.rejects(measureThroughput("x", {}, lost), { code: "SERVER_LOST" });
  const stop = new AbortController();
  const server = bench((_input, call) => {
    if (call === 3) stop.abort(new Error("stopped"));
    stop.signal.throwIfAborted();
    return outcome("x");
  });
  await t.rejects(measureResponse(planned([{}]), { ...server, signal: stop.signal }), { message: "stopped" });
});

t.test("rapid calls are many at once, bounded in number and time, and their refusals are told", async (t) => {
  let most = 0;
  let now = 0;
  const work = { open: 0, begun: 0 };
  const call = async () => {
    work.begun++;
    most = Math.max(most, ++work.open);
    await Promise.resolve();
    now += 1;
    work.open--;
    return outcome("busy", work.begun > 390);
  };
  const measurement = await measureThroughput("x", {}, {
    call,
    now: () => now,
    signal: new AbortController().signal,
  });
  t.equal(most, 8);
  t.equal(work.begun, 400);
  t.match(measurement, {
    measured: { throughput: { inFlight: 8, responseMs: { count: 400 } } },
    notes: [/refused \d+ of 400 calls .*: busy$/],
  });
});

t.test("inputs of passed tests come first, held-back tools are left out unless asked for", (t) => {
  const inputSchema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
  const tools = ["echo", "delete_all"].map((name) => ({ name, inputSchema }));
  const known = new Map([["echo", { a: "known" }]]);
  const plan = planMeasurements(tools, known, {});
  t.match(plan.tools, [{ tool: "echo", calls: 20 }]);
  t.same(plan.tools[0]!.inputs[0], { a: "known" });
  t.ok(plan.tools[0]!.inputs.length > 1);
  t.match(plan.unmeasured, [{ tool: "delete_all", reason: /held back: its name says "delete"/ }]);
  t.equal(planMeasurements(tools, known, { includeHeldBack: true }).tools.length, 2);
  t.same(planMeasurements(tools, known, { tools: ["delete_all"], calls: 3 }).tools.map(({ tool }) => tool), [
    "delete_all",
  ]);
  t.throws(() => planMeasurements(tools, known, { tools: ["ecko"] }), { code: "NO_SUCH_TOOL" });
  t.end();
});

t.test("listings tell what was made, changed, removed, and rewritten with the same content", (t) => {
  const listing = (files: [path: string, written: string, size: number, sum: number][]) =>
    parseFileStamps([
      `== count\n${files.length}`,
      "== stats",
      ...files.map(([path, written, size]) => `${written}|${size}|${path}`),
      "== sums",
      ...files.map(([path, , size, sum]) => `${sum} ${size} ${path}`),
      "",
    ].join("\n"))!;
  const before = listing([["/p/a b", "1.1", 5, 11], ["/p/same", "1.1", 5, 12], ["/p/gone", "1.1", 5, 13]]);
  const after = listing([["/p/a b", "2.1", 6, 21], ["/p/same", "2.1", 5, 12], ["/tmp/new", "2.1", 9, 14]]);
  t.same(sideEffects(before, after, 1, "/p"), {
    files: 4,
    bytes: 20,
    rewritten: 1,
    rewrittenFiles: ["same"],
  });
  t.same(sideEffects(after, after, 1, "/p"), { files: 0, bytes: 0, rewritten: 0 });
  t.equal(parseFileStamps("== count\n5000\n== stats\n== sums\n"), undefined, "too many to compare");
  t.equal(parseFileStamps("sh: find: not found"), undefined);
  t.end();
});
