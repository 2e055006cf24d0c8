import t from "tap";
import type { HookRunEnd, HookRunRequest } from "../../../machines/model/hook_run.ts";
import { fireHooks, hasFault } from "../../../src/hooks/fire_hooks.ts";
import { hookOf, runOf } from "./hook_samples.ts";

const payload = { tool_name: "Bash", tool_input: {} };

async function fire(hooks: ReturnType<typeof hookOf>[], ends: Partial<HookRunEnd>[], event = "PreToolUse") {
  const asked: HookRunRequest[] = [];
  const report = await fireHooks({ plugin: "p", hooks }, { event, payload, env: {} }, (request) => {
    asked.push(request);
    const runs = request.hooks.map(({ id }, index) => ({ ...runOf(ends[index]), id }));
    return Promise.resolve({ payload: { ...payload, sent: true }, runs, changes: [] });
  });
  return { report, asked, faults: report.hooks.flatMap((hook) => hook.diagnoses) };
}

t.test("hooks that fit are run at once, and decide together", async (t) => {
  const { report, asked } = await fire(
    [hookOf("PreToolUse", "a"), hookOf("PreToolUse", "b", "Write"), hookOf("PreToolUse", "c")],
    [{}, { exitCode: 2, stderr: "no" }],
  );
  t.match(asked, [{ hooks: [{ command: "a" }, { command: "c" }], plugin: "p" }]);
  t.match(report, {
    decision: "deny",
    reasons: ["no"],
    payload: { sent: true },
    hooks: [{ outcome: "success" }, { skipped: /does not fit/ }, { outcome: "blocked", exitCode: 2 }],
  });
  t.notOk(hasFault(report));
});

t.test("where none fits nothing is run", async (t) => {
  const { report, asked } = await fire([hookOf("PreToolUse", "a", "Write")], []);
  t.same(asked, []);
  t.match(report, { decision: "none", payload });
});

t.test("what is wrong with a hook is told, and what only looks odd is no fault", async (t) => {
  const one = async (end: Partial<HookRunEnd>, event = "PreToolUse", hook = {}) => {
    const { faults } = await fire([hookOf(event, hook)], [end], event);
    return faults.map(({ fault, message }) => `${fault ? "fault" : "note"} ${message}`);
  };
  t.match(await one({ timedOut: true }, "PreToolUse", { timeout: 2 }), [/^fault It did not end within 2/]);
  t.match(await one({ exitCode: 126, stderr: "x: Permission denied" }), [/Set its run bit/]);
  t.match(await one({ exitCode: 127, stderr: "x: not found" }), [/Correct the path/]);
  t.match(await one({ exitCode: 2 }), [/^fault It blocks without a reason/]);
  t.match(await one({ exitCode: 2, stderr: "python3: can't open file 'x'" }), [/misses its script/]);
  t.match(await one({ exitCode: 2, stderr: "r", stdout: "text" }), [
    /^note With exit code 2 stdout is not read/,
  ]);
  t.match(await one({ exitCode: 2, stderr: "r" }, "SessionStart"), [/^fault SessionStart cannot be blocked/]);
  t.match(await one({ exitCode: 1, stdout: "{}" }), [/^note Exit code 1 counts for nothing/]);
  t.match(await one({ stdout: '{"decision":"approve"}' }), [/^note .*the old form/]);
  t.match(await one({ stdout: '{"extra":1}' }), [/^note Claude Code ignores extra/]);
  t.match(await one({ stdout: "x" }, "PreToolUse", { async: true }), [/^note It runs in the background/]);
  t.same(await one({ stdout: "fine" }), []);
});
