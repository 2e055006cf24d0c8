import t from "tap";
import type { FiredHook, HookReport } from "../../../src/hooks/fire_hooks.ts";
import { hookTestSchema } from "../../../src/hooks/format/hook_test_schema.ts";
import { judgeExpectedHooks } from "../../../src/hooks/judge_expected_hooks.ts";

const ran: FiredHook = {
  place: { file: "hooks/hooks.json", line: 1, column: 1 },
  type: "command",
  subject: "guard.sh",
  outcome: "blocked",
  exitCode: 2,
  stdout: "out",
  stderr: "no\n",
  durationMs: 12,
  limitMs: 1000,
  diagnoses: [],
};
const { outcome: _, ...idle } = ran;
const skipped: FiredHook = { ...idle, subject: "other.sh", skipped: "its matcher does not fit" };
const report: HookReport = {
  event: "PreToolUse",
  payload: {},
  decision: "deny",
  reasons: ["no"],
  stops: false,
  stopReasons: [],
  context: ["c", "d"],
  messages: [],
  hooks: [ran, skipped],
  changes: [{ path: "a", change: "added" }],
};

const failures = (expect: object, rest: Partial<HookReport> = {}, hook?: string) => {
  const file = { tests: [{ name: "n", event: "PreToolUse", expect }] };
  const [test] = hookTestSchema.parse(file).tests;
  return judgeExpectedHooks({ expect: test!.expect, hook }, { ...report, ...rest });
};

t.test("what is as expected fails nothing", (t) => {
  t.same(
    failures({
      decision: "deny",
      reason: { equals: "no", matches: "^n" },
      stops: false,
      context: { contains: ["c", "d"], lacks: "e" },
      ran: 1,
      outcome: "blocked",
      exit_code: 2,
      stdout: "out",
      stderr: "no",
      changes: { added: ["a"] },
      max_ms: 12,
    }),
    [],
  );
  t.end();
});

t.test("each expectation that is not met is told with what was there", (t) => {
  t.match(failures({ decision: "none", stops: true, ran: 2, exit_code: 0, outcome: "success", max_ms: 11 }), [
    'decision: expected "none", got "deny"',
    "stops: expected true, got false",
    "ran: expected 2, got 1",
    'outcome: expected "success", got "blocked"',
    "exit_code: expected 0, got 2",
    "max_ms: expected at most 11 ms, it took 12 ms",
  ]);
  t.match(failures({ reason: "yes", message: "m", stdout: { lacks: "out" }, stderr: { matches: "x$" } }), [
    'reason: expected "yes" in it, got no',
    'message: expected "m" in it, got nothing',
    'stdout: expected no "out" in it, got out',
    "stderr: expected a match of /x$/, got no",
  ]);
  t.match(failures({ changes: { changed: ["b"] } }), ["changes: a was added", "changes: b was not changed"]);
  t.end();
});

t.test("an answer and an input are checked by their schemas, and missing ones fail", (t) => {
  const schema = { type: "object", required: ["x"] };
  t.same(failures({ answer: schema, updated_input: schema }), [
    "updated_input: there is none",
    "answer: there is none",
  ]);
  t.match(failures({ updated_input: schema }, { updatedInput: { y: 1 } }), [/^updated_input: /]);
  t.same(failures({ updated_input: schema }, { updatedInput: { x: 1 } }), []);
  t.end();
});

t.test("hooks are looked at by a text in their command; where none of them ran the test fails", (t) => {
  t.same(failures({ exit_code: 2 }, {}, "guard"), []);
  t.match(failures({ exit_code: 2, ran: 0 }, {}, "other"), [
    /^exit_code: no hook with "other" ran; its matcher does not fit/,
  ]);
  t.match(failures({ stdout: "x" }, { hooks: [] }), ["stdout: no hook ran"]);
  t.end();
});

t.test("a fault fails a test that does not expect it", (t) => {
  const faulty = {
    hooks: [{ ...ran, diagnoses: [{ fault: true, message: "it is slow" }, { fault: false, message: "x" }] }],
  };
  t.same(failures({ decision: "deny" }, faulty), ["fault: guard.sh: it is slow"]);
  t.same(failures({ faults: "slow" }, faulty), []);
  t.match(failures({ faults: "slow" }), [/^faults: expected "slow"/]);
  t.end();
});
