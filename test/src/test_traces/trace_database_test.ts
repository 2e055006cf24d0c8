import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { makeRedactor } from "../../../src/core/redact.ts";
import { makeTempDir, removeIfExists } from "../../../src/platform/files.ts";
import { renderCalls } from "../../../src/test_traces/render_calls.ts";
import { queryTraces } from "../../../src/test_traces/query_traces.ts";
import { createTraceDatabase } from "../../../src/test_traces/trace_database.ts";

const call = (id: string, name: string, more: Record<string, unknown> = {}) =>
  JSON.stringify({
    kind: "call",
    id,
    function: name,
    pid: 7,
    thread: "main",
    at: Number(id),
    arguments: {},
    ...more,
  });
const end = (id: string, more: Record<string, unknown> = {}) =>
  JSON.stringify({ kind: "end", id, at: Number(id) + 5, ...more });

async function traceOf(lines: readonly string[], secrets: readonly string[] = []) {
  const folder = await makeTempDir();
  t.teardown(() => removeIfExists(folder));
  const path = join(folder, "trace.sqlite");
  const writer = await createTraceDatabase(path, makeRedactor(secrets));
  for (const line of lines) writer.add(line);
  return { path, summary: writer.finish() };
}

t.test("calls are found by function, thread, time, value, and by the call that they were made in", async (t) => {
  const { path, summary } = await traceOf([
    call("1", "app.parse", { arguments: { text: "'a[b'" }, watched: { depth: "0" } }),
    call("2", "app.Parser.next", { parent: "1", thread: "worker" }),
    call("3", "app.peek", { parent: "2" }),
    end("3", { returned: "None" }),
    end("2", { raised: "ValueError('no')" }),
    end("1", { returned: "Node()", watched: { depth: "1" } }),
    call("4", "app.peek", { arguments: { at: '"x"' } }),
  ]);
  t.match(summary, { calls: 4, omitted: 0, notes: [] });
  const found = async (query: Parameters<typeof queryTraces>[1]) =>
    (await queryTraces(path, query)).calls.map(({ seq }) => seq);
  t.same(await found({ function: { contains: "peek" } }), [3, 4]);
  t.same(await found({ function: { matches: "app.P*" } }), [2]);
  t.same(await found({ function: { equals: "app.parse" } }), [1]);
  t.same(await found({ thread: { equals: "worker" } }), [2]);
  t.same(await found({ time: { from: 2, to: 3 } }), [2, 3]);
  t.same(await found({ value: { contains: "a[b" } }), [1]);
  t.same(await found({ value: { matches: "*a[b*" } }), [1], "a bracket is a bracket");
  t.same(await found({ value: { equals: "'a[b'" } }), [1], "a value, and not the text of all");
  t.same(await found({ value: { equals: "1" } }), [1], "of a watched variable, too");
  t.same(await found({ value: { contains: '"x"' } }), [4], "quotes are as the language prints them");
  t.same(await found({ value: { contains: "text" } }), [], "names are no values");
  t.same(await found({ raised: true }), [2]);
  t.same(await found({ below: 1 }), [2, 3]);
  const [first] = (await queryTraces(path, { limit: 1 })).calls;
  t.same(first, {
    seq: 1,
    function: "app.parse",
    pid: 7,
    thread: "main",
    startedMs: 1,
    durationMs: 5,
    depth: 0,
    arguments: { text: "'a[b'" },
    returned: "Node()",
    watched: { before: { depth: "0" }, after: { depth: "1" } },
  });
});

t.test("an answer is bounded, and a cursor leads through all of them", async (t) => {
  const { path } = await traceOf(Array.from({ length: 120 }, (_, index) => call(String(index + 1), "f")));
  const seen: number[] = [];
  for (let cursor: number | undefined = 0; cursor !== undefined;) {
    const answer = await queryTraces(path, { limit: 50, cursor });
    t.equal(answer.total, 120);
    seen.push(...answer.calls.map(({ seq }) => seq));
    cursor = answer.cursor;
  }
  t.same(seen, Array.from({ length: 120 }, (_, index) => index + 1));
});

t.test("a tree is indented by all calls around a call, also on later pages and below a call", async (t) => {
  const { path } = await traceOf([
    call("1", "a"),
    call("2", "b", { parent: "1" }),
    call("3", "c", { parent: "2" }),
    call("4", "d", { parent: "1" }),
    call("5", "e"),
  ]);
  const indents = async (query: Parameters<typeof queryTraces>[1]) =>
    renderCalls(await queryTraces(path, query), { tree: true }).split("\n").map((line) =>
      line.search(/\S/) / 2
    );
  t.same(await indents({}), [0, 1, 2, 1, 0]);
  t.same(await indents({ cursor: 2 }), [2, 1, 0]);
  t.same(await indents({ below: 1 }), [0, 1, 0]);
  t.same(await indents({ function: { equals: "none" } }), [0]);
});

t.test("lines that are no trace, ends of unknown calls and SQL in names harm nothing", async (t) => {
  const { path, summary } = await traceOf([
    "no JSON",
    '{"kind":"call"}',
    end("9"),
    call("1", "'); drop table calls; --"),
    call("2", "x".repeat(100_000), { arguments: { long: "y".repeat(100_000) } }),
  ]);
  t.same(summary.notes, ["2 lines of the trace could not be read"]);
  t.equal((await queryTraces(path, { function: { contains: "'); drop" } })).total, 1);
  const [long] = (await queryTraces(path, { function: { contains: "xxx" } })).calls;
  t.ok(JSON.stringify(long).length < 10_000);
});

t.test("patterns that fit nothing are told with names like them, also where one process saw some", async (t) => {
  const pattern = (functions: number, near: string[]) =>
    JSON.stringify({ kind: "pattern", pattern: "prase", functions, near });
  t.same((await traceOf([pattern(0, ["parse"])])).summary.patterns, [
    { pattern: "prase", functions: 0, near: ["parse"] },
  ]);
  t.same((await traceOf([pattern(0, ["parse"]), pattern(2, [])])).summary.patterns, [
    { pattern: "prase", functions: 2, near: [] },
  ]);
});

t.test("functions that were called too often are told once, with what is known of their later calls", async (t) => {
  const omitted = (name: string, more: object = {}) =>
    JSON.stringify({ kind: "omitted", function: name, ...more });
  const { summary } = await traceOf([
    omitted("a"),
    omitted("b", { calls: 4000 }),
    omitted("b", { calls: 20 }),
    omitted("c"),
    omitted("c", { calls: 100_010, isLeast: true, medianUs: 2.345 }),
    ...Array.from({ length: 1000 }, (_, at) => omitted(`f${at}`)),
  ]);
  t.match(summary.notes, [
    "a was called more than 1000 times: later calls were not followed",
    "b was called more than 1000 times: 4020 later calls were only counted",
    "c was called more than 1000 times: at least 100010 later calls were only counted, 2.3 µs each",
  ]);
  t.equal(summary.omitted, 104_030);
  t.ok(summary.notes.length <= 50);
});

t.test("secrets are in no value, name, note or answer, also where one is cut", async (t) => {
  const secret = "sk-live-0123456789";
  const { path, summary } = await traceOf([
    call("1", `login_${secret}`, { arguments: { key: `'${secret}'`, [secret]: "x".repeat(3990) + secret } }),
    end("1", { raised: `Denied("${secret}")`, watched: { "state.key": JSON.stringify({ secret }) } }),
    JSON.stringify({ kind: "note", text: `cannot trace ${secret}` }),
  ], [secret]);
  const answer = JSON.stringify([summary, await queryTraces(path, {})]);
  t.notMatch(answer, "sk-live");
  t.match(answer, "[REDACTED]");
  t.equal((await queryTraces(path, { value: { contains: secret } })).total, 0);
  t.notMatch((await readFile(path)).toString("latin1"), "sk-live");
});

t.test("a trace that is not there is one clear error", async (t) => {
  await t.rejects(queryTraces("/nowhere/trace.sqlite", {}), { code: "TARGET_NOT_FOUND" });
});
