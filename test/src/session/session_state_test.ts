import t from "tap";
import type { IterationRecord } from "../../../machines/model/iteration.ts";
import { persistableRequest } from "../../../src/session/persistable_request.ts";
import { parseSessionState, sameButTime, serializeState } from "../../../src/session/session_state.ts";
import type { SessionState } from "../../../machines/model/session_state.ts";

const record = (number: number, failing = 3): IterationRecord => {
  const standing = {
    total: 42,
    passed: 39,
    skipped: 0,
    failing: Array.from({ length: failing }, (_, at) => ({ id: `t-${at}`, name: `test ${at}`, tool: "add" })),
  };
  return {
    number,
    at: "2026-01-01T00:00:00.000Z",
    before: standing,
    after: standing,
    mended: ["a"],
    broken: [],
    groups: [{ id: "g", cause: "a wrong sign", tests: 2 }],
    fixes: [{ commit: "c".repeat(40), title: "mend it", files: ["a.ts"] }],
    refused: [],
    newTests: 0,
    health: [],
    timings: { test: 5 },
  };
};

const state = (more: Partial<SessionState> = {}): SessionState => ({
  version: 1,
  sessionId: "a1b2c3d4",
  branch: "pth/demo-2026-01-01-a1b2c3d4",
  base: "b".repeat(40),
  savedAt: "2026-01-01T00:00:00.000Z",
  plugin: { name: "demo" },
  environment: { runtime: "sandbox", tier: 1 },
  target: {},
  withheld: [],
  leftOut: [],
  iteration: 1,
  trend: "improving",
  tests: { "t-0": { status: "failed", category: "timeout" } },
  causes: [{ id: "g", category: "timeout", cause: "it hangs", tests: ["t-0"] }],
  records: [record(1)],
  timings: { suite_ms: 12 },
  ...more,
});

t.test("what was written is read back", (t) => {
  t.strictSame(parseSessionState(serializeState(state())), { state: state() });
  t.end();
});

t.test("a thousand iterations take no more room than some, and the newest are whole", (t) => {
  const long = (count: number) =>
    state({ iteration: count, records: Array.from({ length: count }, (_, at) => record(at + 1, 50)) });
  const thousand = serializeState(long(1000));
  t.ok(thousand.length < 400_000, `${thousand.length} characters`);
  t.ok(serializeState(long(4000)).length < 400_000);
  const read = parseSessionState(thousand);
  if (!("state" in read)) return t.fail(read.problem);
  t.strictSame(read.state.records.at(-1), record(1000, 50));
  t.match(read.state.records[0], { after: { passed: 39, failing: [] }, fixes: [] });
  t.equal(read.state.iteration, 1000);
  t.end();
});

t.test("ten thousand tests and endless error texts are cut; what failed stays", (t) => {
  const tests = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, at) => [`t-${at}`, { status: at === 9_999 ? "failed" : "passed" }]),
  );
  const loadError = "x".repeat(1_000_000);
  const broken = { ...record(1), after: { ...record(1).after, loadError } };
  const text = serializeState(state({ tests, records: [broken] }));
  t.ok(text.length < 400_000, `${text.length} characters`);
  t.match(parseSessionState(text), { state: { tests: { "t-9999": { status: "failed" } } } });
  t.end();
});

t.test("text that is no state says why, and never throws", (t) => {
  const whole = serializeState(state());
  t.match(parseSessionState(whole.slice(0, whole.length / 2)), { problem: "it is no whole JSON text" });
  t.match(parseSessionState(""), { problem: "it is no whole JSON text" });
  t.match(parseSessionState("null"), { problem: String });
  t.match(parseSessionState("[]"), { problem: String });
  t.match(parseSessionState(JSON.stringify({ version: 2 })), { problem: "a newer PTH wrote it (version 2)" });
  t.match(parseSessionState(whole.replace('"iteration": 1', '"iteration": -1')), { problem: /^iteration: / });
  t.match(parseSessionState(whole.replace(/"base": "b+"/, '"base": "--output=x"')), { problem: /^base: / });
  t.end();
});

t.test("time and timings alone make no difference, anything else does", (t) => {
  const text = serializeState(state());
  t.ok(sameButTime(text, serializeState(state({ savedAt: "later", timings: { suite_ms: 99 } }))));
  t.notOk(sameButTime(text, serializeState(state({ tests: { "t-0": { status: "passed" } } }))));
  t.notOk(sameButTime(text, serializeState(state({ iteration: 2 }))));
  t.notOk(sameButTime("half a sta", text));
  t.end();
});

t.test("no value that may be secret and no path of the host is kept; the names are", (t) => {
  const kept = persistableRequest(
    {
      target: "/srv/ada/adder",
      command: ["node", "x.mjs"],
      variables: { MODE: "fast", API_TOKEN: "hunter22" },
      secrets: { PASSWORD: "hunter23" },
      copies: [{ hostPath: "/srv/ada/data", envPath: "/data" }],
    },
    { runtime: "sandbox", targetPlugin: { buildCommand: "make", configValues: { NAME: "hunter24" } } },
    ["OTHER"],
  );
  t.strictSame(kept, {
    target: { command: ["node", "x.mjs"], variables: { MODE: "fast" } },
    environment: { runtime: "sandbox", targetPlugin: { buildCommand: "make" } },
    withheld: ["API_TOKEN", "NAME", "OTHER", "PASSWORD"],
    leftOut: ["the host's files that were copied to /data"],
  });
  t.match(persistableRequest({ target: "npm:adder@1" }, undefined), { target: { target: "npm:adder@1" } });
  const large = { files: [{ path: "/big", content: "x".repeat(60_000) }] };
  t.match(persistableRequest({}, { runtime: "host", fixtures: large }), {
    environment: { runtime: "host" },
    leftOut: [/fixtures/],
  });
  t.end();
});
