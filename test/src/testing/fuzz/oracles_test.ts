import t from "tap";
import type { CallOutcome, ConnectionLoss } from "../../../../machines/model/plugin.ts";
import type { SeenCall } from "../../../../src/testing/fuzz/oracle.ts";
import { registry } from "../../../../src/testing/fuzz/oracles/_registry.ts";

const tool = { name: "look", inputSchema: { type: "object" } };

const said = (text: string, more: Partial<CallOutcome> = {}): CallOutcome => ({
  kind: "result",
  raw: { content: [{ type: "text", text }] },
  text,
  isError: false,
  violations: [],
  durationMs: 1,
  ...more,
});

const call = (more: Partial<SeenCall>): SeenCall => ({
  tool,
  input: {},
  valid: true,
  stray: [],
  stderr: "",
  ...more,
});

const loss = (stderrTail: string, more: Partial<ConnectionLoss> = {}): ConnectionLoss => ({
  reason: "exited",
  exitCode: 1,
  signal: null,
  stderrTail,
  message: "exited with 1",
  ...more,
});

const trace =
  "TypeError: Cannot read properties of undefined (reading 'id')\n    at find (/srv/a.mjs:3:1)\n    at run (/srv/a.mjs:9:2)";
const panic = "thread 'main' panicked at src/main.rs:4:5:\nboom";

/** What each oracle calls a fault, and what it does not. */
const cases: Record<string, { bad: Partial<SeenCall>[]; good: Partial<SeenCall>[] }> = {
  crash: {
    bad: [{ loss: loss("Error: boom") }, {
      outcome: said("ok"),
      loss: loss("", { exitCode: null, signal: "SIGSEGV" }),
    }],
    good: [{ outcome: said("ok") }, { silence: { afterMs: 1, answersPing: true, progress: 0 } }],
  },
  hang: {
    bad: [
      { silence: { afterMs: 500, answersPing: true, progress: 0 } },
      { silence: { afterMs: 500, answersPing: false, progress: 0 } },
    ],
    good: [{ silence: { afterMs: 500, answersPing: true, progress: 3 } }, { outcome: said("ok") }],
  },
  protocol_error: {
    bad: [
      {
        outcome: said("", {
          violations: [{ kind: "no_content_array", message: '"content" is missing, not an array' }],
        }),
      },
      { outcome: said("", { violations: [{ kind: "malformed", message: "neither result nor error" }] }) },
      { callError: { code: "PROTOCOL_VIOLATION", message: "one line exceeds 5 bytes" } },
    ],
    good: [
      { outcome: said("no", { kind: "rpc_error", isError: true, code: -32602 }) },
      { outcome: said("", { violations: [{ kind: "output_schema", message: "/n must be number" }] }) },
    ],
  },
  output_schema: {
    bad: [{ outcome: said("", { violations: [{ kind: "output_schema", message: "/n must be number" }] }) }],
    good: [{ outcome: said("ok") }, {
      outcome: said("", { violations: [{ kind: "malformed", message: "x" }] }),
    }],
  },
  leaked_error: {
    bad: [{ outcome: said(trace, { isError: true }) }, {
      outcome: said("x is not a function", { isError: true }),
    }],
    good: [
      { outcome: said(trace, { isError: true }), valid: false },
      { outcome: said("no such file", { isError: true }) },
      { outcome: said("ok") },
    ],
  },
  misleading_answer: {
    bad: [
      { outcome: said("Error: no such note") },
      { outcome: said("Error: no such note"), valid: false },
      { outcome: said("Note was stored successfully", { isError: true }) },
      { outcome: said("Sum: NaN") },
    ],
    good: [
      { outcome: said("Error: no such note", { isError: true }) },
      { outcome: said("Sum: NaN"), valid: false },
      { outcome: said("Sum: NaN"), input: { a: "NaN" } },
      { outcome: said("Sum: NaN"), placeholders: new Set(["NaN"]) },
      { outcome: said("ok") },
      { silence: { afterMs: 1, answersPing: true, progress: 0 } },
    ],
  },
  schema_not_enforced: {
    bad: (["missing_required", "wrong_type", "null_required", "enum"] as const).map((violation) => ({
      ...{ outcome: said("Hello undefined"), valid: false, violation },
    })),
    good: [
      { outcome: said("text must be a string", { isError: true }), valid: false, violation: "wrong_type" },
      { outcome: said("Please provide a text"), valid: false, violation: "missing_required" },
      { outcome: said("Error: no text"), valid: false, violation: "missing_required" },
      { outcome: said("ok"), valid: false, violation: "range" },
      { outcome: said("ok"), valid: false },
      { outcome: said("ok") },
    ],
  },
  stray_output: { bad: [{ outcome: said("ok"), stray: ["debug: here"] }], good: [{ outcome: said("ok") }] },
  stderr_panic: {
    bad: [{ outcome: said("ok"), stderr: panic }, {
      outcome: said("ok"),
      stderr: "Traceback (most recent call last):\n",
    }],
    good: [{ outcome: said("ok"), stderr: "listening" }, { loss: loss(panic), stderr: panic }],
  },
  non_determinism: {
    bad: [{ outcome: said("one"), again: said("two") }, {
      outcome: said("one"),
      again: said("one", { isError: true }),
    }],
    good: [
      { outcome: said("one"), again: said("one") },
      { outcome: said("one") },
      { outcome: said("at 2026-01-02T03:04:05Z"), again: said("at 2026-01-02T03:04:06Z") },
      {
        outcome: said("id 123e4567-e89b-42d3-a456-426614174000 in 3 ms"),
        again: said("id 123e4567-e89b-42d3-a456-426614174001 in 12 ms"),
      },
    ],
  },
};

t.test("each oracle of single calls tells its fault, and nothing else", (t) => {
  for (const { name, judge } of registry) {
    if (judge === undefined) continue;
    const { bad, good } = cases[name] ?? { bad: [], good: [] };
    t.ok(bad.length > 0 && good.length > 0, `${name} has cases of both kinds`);
    for (const [index, one] of bad.entries()) {
      const complaint = judge(call(one));
      t.ok(complaint?.message && complaint.signature, `${name}, bad ${index}`);
    }
    for (const [index, one] of good.entries()) t.equal(judge(call(one)), undefined, `${name}, good ${index}`);
  }
  t.end();
});

t.test("an honest answer is a fault to no oracle", (t) => {
  const honest = call({ outcome: said("ok"), again: said("ok"), stderr: "request took 3 ms\n" });
  t.same(registry.flatMap(({ judge }) => judge?.(honest) ?? []), []);
  t.end();
});

t.test("a fault has one signature, whatever values are in its message", (t) => {
  const { judge } = registry.find(({ name }) => name === "crash")!;
  const signature = (stderr: string) => judge!(call({ loss: loss(stderr) }))!.signature;
  const node = (text: string, line = 3) =>
    `/srv/a.mjs:${line}\n  throw\n\nError: no entry ${text}\n    at node:internal/x:1:1\n    at put (/srv/a.mjs:${line}:9)\n`;
  t.equal(signature(node("a")), signature(node('quite "another" 1')));
  t.equal(signature(node("a")), "exited with 1: Error at a.mjs:3");
  t.not(signature(node("a")), signature(node("a", 8)), "another place");
  const python =
    'Traceback (most recent call last):\n  File "/srv/main.py", line 9, in run\n  File "/srv/a.py", line 2, in f\nKeyError: 1';
  t.equal(signature(python), "exited with 1: KeyError at a.py:2");
  t.equal(
    signature("thread 'main' panicked at src/main.rs:4:5:\nboom 7"),
    "exited with 1: panicked at main.rs:4",
  );
  const go = "panic: no such key\n\ngoroutine 1 [running]:\nmain.main()\n\t/srv/main.go:12 +0x1d";
  t.equal(signature(go), "exited with 1: panic at main.go:12");
  t.equal(signature('abort: "a" is at 12'), signature('abort: "bcd" is at 7'), "without a place, the words");
  t.end();
});

const memory = registry.find(({ name }) => name === "memory_growth")!.judgeMemory!;
const samples = (...megabytes: number[]) =>
  megabytes.map((value, index) => ({ calls: index * 50, megabytes: value }));

t.test("memory that grows with every row and does not slow down is a fault", (t) => {
  const complaint = memory(samples(80, 92, 105, 117, 130, 142, 155, 167, 180));
  t.match(complaint?.message, /grew from 80 to 180 MB in 400 calls, about 256 KB each/);
  t.end();
});

t.test("memory that settles, falls, grows little or was measured too seldom is none", (t) => {
  t.equal(memory(samples(80, 120, 140, 150, 155, 157, 158, 158.5, 159)), undefined, "slows down");
  t.equal(memory(samples(80, 95, 110, 125, 90, 105, 120, 135, 95)), undefined, "collected");
  t.equal(memory(samples(80, 81, 82, 83, 84, 85, 86, 87, 88)), undefined, "little");
  t.equal(memory(samples(80, 180, 280)), undefined, "seldom");
  t.end();
});
