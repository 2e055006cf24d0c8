import t from "tap";
import { judgeHook } from "../../../src/hooks/judge_hook.ts";
import { answers, hookOf, runOf } from "./hook_samples.ts";

const pre = hookOf("PreToolUse");
const specific = (output: object) => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...output } });

t.test("exit code 2 blocks with stderr, 0 lets pass, and any other is an error that blocks nothing", (t) => {
  t.match(judgeHook(pre, runOf({ exitCode: 2, stderr: "no\n" })), {
    outcome: "blocked",
    permission: "deny",
    reason: "no",
  });
  t.same(judgeHook(pre, runOf()), { outcome: "success" });
  t.match(judgeHook(pre, runOf({ exitCode: 1, stderr: "oh" })), {
    outcome: "failed",
    failure: "it ended with exit code 1: oh",
  });
  t.same(judgeHook(pre, runOf({ timedOut: true })), { outcome: "timed-out" });
  t.end();
});

t.test("an answer in JSON decides, whatever the exit code but 2", (t) => {
  for (const permissionDecision of ["allow", "ask", "defer"]) {
    const judged = judgeHook(pre, answers(specific({ permissionDecision, permissionDecisionReason: "r" })));
    t.match(judged, { outcome: "success", permission: permissionDecision, reason: "r" });
  }
  t.match(judgeHook(pre, answers(specific({ permissionDecision: "deny", permissionDecisionReason: "r" }))), {
    outcome: "blocked",
    permission: "deny",
    reason: "r",
  });
  t.match(judgeHook(pre, answers({ decision: "block", reason: "b" }, { exitCode: 1 })), {
    outcome: "blocked",
  });
  const both = judgeHook(pre, answers({ systemMessage: "m" }, { exitCode: 2, stderr: "s" }));
  t.match(both, { outcome: "blocked", reason: "s", message: "m" });
  t.match(judgeHook(hookOf("Stop"), answers({ continue: false, stopReason: "e" })), {
    stops: true,
    stopReason: "e",
  });
  t.end();
});

t.test("JSON that breaks its schema is an error, and so is one that is written wrongly", (t) => {
  const failure = (stdout: string, rest = {}) => judgeHook(pre, runOf({ stdout, ...rest })).failure;
  t.match(failure('{"decision":"deny"}'), /decision is "approve" or "block"/);
  t.match(failure('{"hookSpecificOutput":{"permissionDecision":"deny"}}'), /lacks hookEventName/);
  t.match(failure('{"continue":"no"}'), /continue: expected true or false/);
  t.match(failure('{"a": }'), /looks like JSON/);
  t.match(
    failure(JSON.stringify({ hookSpecificOutput: { hookEventName: "PostToolUse" } })),
    /is for PostToolUse/,
  );
  t.match(judgeHook(pre, runOf({ stdout: '{"a": }', exitCode: 2, stderr: "no" })), { outcome: "blocked" });
  t.match(judgeHook(pre, runOf({ stdout: '{"a" b' })), { outcome: "success" }, "it is text");
  t.match(judgeHook(pre, runOf({ stdout: '{"a":1}\n{"b":2}' })), { outcome: "success" }, "lines are text");
  t.match(judgeHook(pre, answers({ additionalContext: "c" })), { ignored: ["additionalContext"] });
  t.end();
});

t.test("text on stdout is context for prompts and starts alone", (t) => {
  t.match(judgeHook(hookOf("UserPromptSubmit"), runOf({ stdout: "c\n" })), { context: "c" });
  t.same(judgeHook(pre, runOf({ stdout: "c\n" })), { outcome: "success" });
  t.end();
});

t.test("onFailure: block makes a block of an error and of a limit, but not on Stop", (t) => {
  const guarding = { onFailure: "block" as const };
  t.match(judgeHook(hookOf("PreToolUse", guarding), runOf({ exitCode: 1 })), {
    outcome: "blocked",
    permission: "deny",
  });
  t.match(judgeHook(hookOf("PreToolUse", guarding), runOf({ timedOut: true })), { outcome: "blocked" });
  t.match(judgeHook(hookOf("Stop", guarding), runOf({ exitCode: 1 })), { outcome: "failed" });
  t.end();
});

t.test("a hook in the background decides nothing", (t) => {
  t.same(judgeHook(hookOf("PreToolUse", { async: true }), runOf({ exitCode: 2 })), { outcome: "background" });
  t.same(judgeHook(pre, answers({ async: true })), { outcome: "background" });
  t.end();
});

t.test("an interpreter that misses its script does not block Stop", (t) => {
  const run = runOf({ exitCode: 2, stderr: "python3: can't open file 'x': No such file or directory" });
  t.match(judgeHook(hookOf("Stop"), run), { outcome: "failed" });
  t.match(judgeHook(pre, run), { outcome: "blocked" });
  t.end();
});

t.test("a request is judged by its status and its body", (t) => {
  const http = hookOf("PreToolUse", { type: "http", url: "http://127.0.0.1/" });
  const run = (status: number, stdout = "") => judgeHook(http, { ...runOf({ stdout }), status });
  t.match(run(200), { outcome: "success" });
  t.match(run(500), { outcome: "failed", failure: "it was answered with HTTP 500" });
  t.match(run(200, "fine"), { outcome: "failed" });
  t.match(run(200, '{"decision":"block","reason":"r"}'), { outcome: "blocked", reason: "r" });
  t.match(judgeHook(http, runOf({ failure: "refused" })), { outcome: "failed", failure: "refused" });
  t.end();
});

t.test("each event has its own part of an answer", (t) => {
  const judged = (event: string, output: object) =>
    judgeHook(hookOf(event), answers({ hookSpecificOutput: { hookEventName: event, ...output } }));
  t.match(judged("PermissionRequest", { decision: { behavior: "deny", message: "m" } }), {
    permission: "deny",
    reason: "m",
  });
  t.match(judged("Elicitation", { action: "decline" }), { outcome: "blocked" });
  t.match(judged("SessionStart", { additionalContext: "c" }), { context: "c" });
  t.match(judged("PreToolUse", { updatedInput: { a: 1 } }), { updatedInput: { a: 1 } });
  t.match(judged("PermissionRequest", {}), { outcome: "failed" });
  t.end();
});
