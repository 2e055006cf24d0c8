import t from "tap";
import type { CallOutcome, ConnectionLoss } from "../../../../machines/model/plugin.ts";
import type { TestCase } from "../../../../machines/model/test_case.ts";
import { PthError } from "../../../../src/core/errors.ts";
import { refusalsDifferNote } from "../../../../src/testing/judge/refusals_differ.ts";
import { judge } from "../../../../src/testing/judge/judge.ts";
import type { JudgedObservation } from "../../../../src/testing/judge/failing_verdict.ts";
import { answered, observed, refused, rpcError, testOf } from "../observed.ts";
import type { Verdict } from "../../../../machines/model/verdict.ts";

const valid = testOf({ expect: { well_behaved: true }, generatedFrom: "schema" });
const invalid = testOf({
  expect: { refuses: "missing_required" },
  input: {},
  control: { input: { message: "hi" } },
  generatedFrom: "schema",
});
const manual = testOf({});
const crash: ConnectionLoss = {
  reason: "exited",
  exitCode: 7,
  signal: null,
  stderrTail: "first\nError: planted\n",
  message: "exited with 7",
};
const silent = (answersPing: boolean, progress = 0) => ({
  timedOut: { afterMs: 10_000, answersPing, progress },
});
const breach = (kind: "no_content_array" | "output_schema" | "malformed") =>
  answered("x", { violations: [{ kind, message: `broken: ${kind}` }] });

const rows: [
  what: string,
  test: TestCase,
  seen: Partial<JudgedObservation>,
  Verdict["status"],
  Verdict["category"]?,
][] = [
  ["valid input answered", valid, { outcome: answered("ok") }, "passed"],
  ["valid input refused", valid, { outcome: refused("no fixture") }, "skipped"],
  ["valid input refused by JSON-RPC error", valid, { outcome: rpcError("bad", -32603) }, "skipped"],
  [
    "valid input, leaked error",
    valid,
    { outcome: refused("x.y is not a function") },
    "failed",
    "runtime-exception",
  ],
  [
    "valid input, lazy import",
    valid,
    { outcome: refused("Cannot find package 'z'") },
    "failed",
    "dependency-error",
  ],
  ["no content array", valid, { outcome: breach("no_content_array") }, "failed", "protocol-error"],
  ["malformed answer", valid, { outcome: breach("malformed") }, "failed", "protocol-error"],
  ["breaks its outputSchema", valid, { outcome: breach("output_schema") }, "failed", "schema-violation"],
  [
    "breaks its outputSchema, by hand",
    manual,
    { outcome: breach("output_schema") },
    "failed",
    "schema-violation",
  ],
  [
    "a log line on stdout",
    valid,
    { outcome: answered("ok"), strayOutput: ["hi"] },
    "failed",
    "protocol-error",
  ],
  [
    "a log line on stdout, and an error that its code did not foresee",
    valid,
    { outcome: refused("x.y is not a function"), strayOutput: ["hi"] },
    "failed",
    "runtime-exception",
  ],
  ["a log line on stdout, by hand", manual, { outcome: answered("ok"), strayOutput: ["hi"] }, "passed"],
  ["crash", valid, { loss: crash }, "failed", "runtime-exception"],
  ["crash, by hand", manual, { loss: crash }, "failed", "runtime-exception"],
  ["an endless line", valid, { loss: { ...crash, reason: "protocol" } }, "failed", "protocol-error"],
  ["hang", valid, silent(false), "failed", "timeout"],
  ["hang after progress", valid, silent(false, 3), "failed", "timeout"],
  ["never answers, but pings", valid, silent(true), "failed", "timeout"],
  ["slow with progress", valid, silent(true, 3), "skipped"],
  ["a tool that waits for something", { ...valid, tool: "poll_events" }, silent(true), "skipped"],
  ["a tool that waits, and hangs", { ...valid, tool: "poll_events" }, silent(false), "failed", "timeout"],
  ["slow with progress, by hand", manual, silent(true, 3), "failed", "timeout"],
  [
    "no proper answer",
    valid,
    { callError: { code: "PROTOCOL_VIOLATION", message: "x" } },
    "failed",
    "protocol-error",
  ],
  ["no server", manual, { callError: { code: "START_FAILED", message: "x" } }, "failed", "runtime-exception"],
  [
    "no environment",
    manual,
    { callError: { code: "ENVIRONMENT_LOST", message: "x" } },
    "failed",
    "dependency-error",
  ],
  ["setup failed", manual, { setupFailure: "mkdir: exit 1" }, "failed", "dependency-error"],
  ["invalid input refused", invalid, { control: answered("ok"), outcome: refused("required") }, "passed"],
  ["invalid input refused by error", invalid, { control: answered("ok"), outcome: rpcError("r") }, "passed"],
  ["invalid input accepted", invalid, { control: answered("ok"), outcome: answered("ok") }, "passed"],
  ["invalid input, control refused", invalid, { control: refused("no"), outcome: answered("ok") }, "skipped"],
  ["invalid input, control crashed", invalid, { loss: crash }, "skipped"],
  ["invalid input, control hangs", invalid, silent(false), "skipped"],
  ["invalid input crashes", invalid, { control: answered("ok"), loss: crash }, "failed", "runtime-exception"],
  ["invalid input hangs", invalid, { control: answered("ok"), ...silent(false) }, "failed", "timeout"],
  [
    "invalid input, no content",
    invalid,
    { control: answered("ok"), outcome: breach("no_content_array") },
    "failed",
    "protocol-error",
  ],
  [
    "invalid input, internal error",
    invalid,
    { control: answered("ok"), outcome: refused("Cannot read properties of undefined (reading 'x')") },
    "passed",
  ],
  ["by hand, answered", manual, { outcome: answered("ok") }, "passed"],
  ["by hand, refused", manual, { outcome: refused("no") }, "failed", "wrong-output"],
  [
    "by hand, leaked error",
    manual,
    { outcome: refused("x.y is not a function") },
    "failed",
    "runtime-exception",
  ],
  [
    "an error is expected",
    testOf({ expect: { error_contains: "no" } }),
    { outcome: refused("no") },
    "passed",
  ],
  [
    "an error is expected, none comes",
    testOf({ expect: { error_contains: "no" } }),
    { outcome: answered("no") },
    "failed",
    "wrong-output",
  ],
  ["failure expected", testOf({ expect: { success: false } }), { outcome: rpcError("no") }, "passed"],
  [
    "wrong output",
    testOf({ expect: { output_equals: "a" } }),
    { outcome: answered("b") },
    "failed",
    "wrong-output",
  ],
];

t.test("verdicts", (t) => {
  for (const [what, test, seen, status, category] of rows) {
    const verdict = judge(test, observed(seen));
    t.equal(verdict.status, status, what);
    t.equal(verdict.category, category, `${what}: category`);
    if (status === "failed") {
      t.match(verdict.message?.split("\n")[0], /^(?:echo|poll_events|setup)\b.{10}/, `${what}: message`);
    }
    if (status === "skipped") t.match(verdict.note, /\S/, `${what}: reason`);
  }
  t.end();
});

t.test("commands are judged, exit code 0 unless given", (t) => {
  const verify = (expect: Record<string, unknown>, code: number, stdout: string): Verdict => {
    const command = { exec: "cat f", expect };
    return judge(
      testOf({ verify: [command] }),
      observed({
        outcome: answered("ok"),
        commands: [{ command, result: { code, stdout, stderr: "cat: gone" } }],
      }),
    );
  };
  t.equal(verify({ expect_stdout: "a" }, 0, "a\n").status, "passed");
  t.equal(verify({ expect_exit_code: 1 }, 1, "").status, "passed");
  const failed = verify({ expect_stdout: "a" }, 1, "");
  t.equal(failed.category, "missing-side-effect");
  t.match(failed.message, /^echo: verify "cat f": expected exit code 0, got 1/);
  t.match(failed.message, "cat: gone", "stderr of the command is shown");
  t.match(failed.message, "stdout is not the text expected", "so are the command's other failures");
  t.end();
});

t.test("a failure says what was called, what was expected and what came", (t) => {
  const verdict = judge(testOf({ expect: { output_equals: "a" } }), observed({ outcome: answered("b") }));
  t.same([verdict.expected, verdict.actual], ["a", "b"]);
  t.match(verdict.message, 'called with: {"message":"hi"}');
  const crashed = judge(manual, observed({ loss: crash }));
  t.match(crashed.message, /exited with 7/);
  t.match(crashed.message, /Error: planted/);
  t.match(
    judge(manual, observed({ loss: { ...crash, exitCode: null, signal: "SIGSEGV" } })).message,
    /SIGSEGV/,
  );
  const { tool: _, ...unlisted } = observed({ outcome: rpcError("Unknown tool: echo") });
  t.match(judge(manual, unlisted).message, "tools/list has no tool of this name");
  t.end();
});

t.test("a failed call hides the assertions that follow from it", (t) => {
  const test = testOf({ expect: { output_contains: "a", output_json: {} } });
  t.notMatch(judge(test, observed({ outcome: refused("no") })).message, "output_");
  t.end();
});

t.test("all assertions that fail are told", (t) => {
  const test = testOf({ expect: { output_contains: "a", output_matches: "^c" } });
  const { message } = judge(test, observed({ outcome: answered("b") }));
  t.match(message, "output_contains");
  t.match(message, "output_matches");
  t.end();
});

t.test("a negative test whose control was refused for another reason passes, and says so", (t) => {
  const seen = (bad: CallOutcome, good = refused("no such file")) =>
    observed({ control: good, outcome: bad });
  t.match(judge(invalid, seen(refused("message is required"))), {
    status: "passed",
    note: refusalsDifferNote,
  });
  const inconclusive = { status: "skipped", note: /^inconclusive: its control call was refused: / };
  t.match(judge(invalid, seen(refused("no such file"))), inconclusive);
  t.match(judge(invalid, seen(answered("stored"))), inconclusive, "never an acceptance");
  t.match(judge(invalid, seen(refused("no"), refused("message is required"))), inconclusive);
  t.match(judge(invalid, seen(refused("no"), answered("Error: no such file"))), inconclusive);
  t.match(judge(invalid, seen(refused("message is required"), answered("Error: no such file"))), {
    status: "passed",
    note: refusalsDifferNote,
  });
  t.match(judge(invalid, seen(breach("malformed"))), { status: "failed", category: "protocol-error" });
  t.equal(judge(invalid, seen(refused("message is required"), answered("ok"))).note, undefined);
  t.end();
});

t.test("an error told as a success is a finding, and neither a pass nor an acceptance", (t) => {
  const code = "error-told-as-success";
  const told = answered("Error: no such note");
  t.match(judge(valid, observed({ outcome: told })), {
    status: "skipped",
    note: /^refused: needs .*: Error: no such note$/,
    findings: [{ code, tool: "echo" }],
  });
  const negative = judge(invalid, observed({ control: answered("ok"), outcome: told }));
  t.match(negative, { status: "passed", findings: [{ code }], note: "refused, but told as a success" });
  t.equal(negative.findings.length, 1);
  const strict = judge(invalid, observed({ control: answered("ok"), outcome: told }), { strict: true });
  t.match(strict, { status: "failed", category: "schema-violation" });
  t.match(judge(valid, observed({ outcome: answered("Sum: NaN") })), {
    status: "passed",
    findings: [{ code: "value-missing-in-answer" }],
  });
  t.match(judge(valid, observed({ outcome: refused("Note was stored successfully") })), {
    status: "skipped",
    findings: [{ code: "success-told-as-error" }],
  });
  t.end();
});

t.test("what a server without an answer waited for is told in the failure and kept with it, and stays a failure", (t) => {
  const inspection = { kind: "waiting" as const, says: "hung: calls nothing: a (1) waits", threads: [] };
  const timedOut = { ...silent(true).timedOut, inspection };
  const { status, category, message, hang } = judge(manual, observed({ timedOut }));
  t.match({ status, category }, { status: "failed", category: "timeout" });
  t.match(message, /gave no answer within 10 s; .*\n {2}hung: calls nothing: a \(1\) waits\n {2}called with/);
  t.strictSame(hang, inspection);
  t.end();
});

t.test("strict turns findings into failures", (t) => {
  const seen = observed({ control: answered("ok"), outcome: answered("ok") });
  const lenient = judge(invalid, seen);
  t.match(lenient, { status: "passed", findings: [{ code: "schema-not-enforced", severity: "warning" }] });
  t.match(lenient.note, "accepted although a required property is missing");
  t.match(judge(invalid, seen, { strict: true }), { status: "failed", category: "schema-violation" });
  t.end();
});

t.test("nothing observed is the harness's fault, and no pass", (t) => {
  t.throws(() => judge(manual, observed({})), PthError);
  t.end();
});
