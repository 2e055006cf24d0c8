import t from "tap";
import { expandTruncated, parseTruncatedJson } from "../../../../src/visualizer/timeline/truncated_json.ts";
import { isErrorEvent } from "../../../../src/visualizer/timeline/event_text.ts";
import { summarizeEvent } from "../../../../src/visualizer/timeline/summarize_event.ts";

const requestId = "367e0600-9fc7-4f20-985f-68f8ac1af5c2";
const outcome = { kind: "result", raw: {}, text: "4", isError: false, violations: [], durationMs: 9.44 };
const loss = {
  reason: "exited",
  exitCode: 7,
  signal: null,
  stderrTail: "starting\nfatal: no store\n",
  message: "",
};

const cases: [unknown, string][] = [
  [{ type: "connection.call", callId: "c", tool: "add", input: { a: 1 } }, 'add {"a":1}'],
  [{ type: "call.completed", callId: "c", outcome }, "4, 9 ms"],
  [
    { type: "call.completed", callId: "c", outcome: { ...outcome, isError: true } },
    "the tool refused, 4, 9 ms",
  ],
  [
    { type: "connection.lost", connectionId: "connection-1", loss },
    "connection-1: exited with 7: fatal: no store",
  ],
  [
    {
      type: "connection.lost",
      loss: { ...loss, exitCode: null, signal: "SIGKILL", stderrTail: "", message: "gone" },
    },
    "ended by SIGKILL: gone",
  ],
  [
    {
      type: "connection.closed",
      connectionId: "connection-1",
      report: { how: "sigterm", waitedMs: 12, exitCode: 0 },
    },
    "connection-1, sigterm, exit 0, after 12 ms",
  ],
  [
    {
      type: "test.finished",
      testId: "adds",
      verdict: { status: "failed", category: "timeout", message: "no:\nmore" },
    },
    "adds: failed, timeout, no",
  ],
  [{ type: "environment.perform", requestId, kind: "exec", args: { command: "ls -l" } }, "exec: ls -l"],
  [
    { type: "operation.completed", requestId, output: { code: 1, stderr: "no" } },
    "exit 1, no: request 367e0600",
  ],
  [{ type: "xstate.init", input: { connectionId: "c-1", tool: "add", input: { a: 1 } } }, 'add {"a":1}'],
  [{ type: "xstate.init", input: { tool: "add", connectionId: "c-1" } }, "add, c-1"],
  [{ type: "plugin.failed", error: { error: "Cannot build: exited with 2" } }, "Cannot build: exited with 2"],
  [{ type: "xstate.error.actor.0.plugin.building", error: "no" }, "no"],
  [{ type: "xstate.done.actor.0.test.judging", output: { status: "passed", findings: [] } }, "passed"],
  [{ type: "xstate.done.actor.test-1", actorId: "test-1" }, ""],
  [{ type: "xstate.after.limit.test.running" }, "the time is up"],
  [{ type: "session.run_suite", tests: { list: 97 }, requestId }, "97 tests, request 367e0600"],
  [{ type: "harness.session_opened" }, ""],
  [{ type: "odd", error: null, loss: 3, outcome: [], verdict: "x" }, "x"],
  ["no event", ""],
  [undefined, ""],
];

t.test("an event is told by the facts that matter", (t) => {
  for (const [event, expected] of cases) t.equal(summarizeEvent(event), expected, JSON.stringify(event));
  t.end();
});

t.test("a gist is one line of at most 120 characters, whatever a server says", (t) => {
  const said = summarizeEvent({
    type: "call.failed",
    error: `line one\n\u001b[31mline two\u0007 ${"x".repeat(500)}`,
  });
  t.equal(said.length, 120);
  t.match(said, /^line one line two. x+…$/);
  t.end();
});

t.test("an event that was cut is told by what is left of it", (t) => {
  const cut = (event: object, length: number) => ({
    type: "x",
    abridged: JSON.stringify(event).slice(0, length),
  });
  const lost = { type: "connection.lost", connectionId: "c-1", loss, more: "x".repeat(100) };
  t.equal(summarizeEvent(expandTruncated(cut(lost, 180))), "c-1: exited with 7: fatal: no store");
  t.equal(summarizeEvent(cut({ type: "x", note: "a" }, 15)), '"no');
  const member = { type: "call.failed", error: { abridged: '"Cannot go on: \\"x\\' } };
  t.equal(summarizeEvent(expandTruncated(member)), 'Cannot go on: "x…');
  t.end();
});

t.test("the beginning of a JSON text tells what is whole in it", (t) => {
  t.same(parseTruncatedJson('{"a":{"b":1,"c":"te'), { a: { b: 1 } });
  t.same(parseTruncatedJson('[1,[2,3],{"x":"a,]}","y'), [1, [2, 3], { x: "a,]}" }]);
  t.same(parseTruncatedJson('{"a":1}'), { a: 1 });
  for (
    const [begun, text] of [['"one\\', "one…"], ['"one\\\\', "one\\…"], ['"o\\u00', "o…"], ['"one"', "one…"]]
  ) {
    t.equal(parseTruncatedJson(begun!), text);
  }
  t.equal(parseTruncatedJson("tru"), undefined);
  t.same(
    expandTruncated({ abridged: "{[REDACTED]," }),
    { abridged: "{[REDACTED]," },
    "what is no JSON any more stays text",
  );
  t.end();
});

t.test("trouble is known by the way facts are named", (t) => {
  for (
    const type of [
      "plugin.failed",
      "environment.destroy_failed",
      "call.broke",
      "lease.refused",
      "connection.lost",
    ]
  ) {
    t.ok(isErrorEvent({ type }), type);
  }
  for (
    const type of ["session.opened", "connection.closed", "failed.opened", "call.completed", "x.unfailed"]
  ) {
    t.notOk(isErrorEvent({ type }), type);
  }
  t.end();
});
