import t from "tap";
import type { HookRunEnd, HookRunRequest } from "../../../machines/model/hook_run.ts";
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import { PthError } from "../../../src/core/errors.ts";
import { fireHooks, hasFault, untestedHooks } from "../../../src/hooks/fire_hooks.ts";
import { fillInput, type HookServers } from "../../../src/hooks/hook_servers.ts";
import { hookOf, runOf } from "./hook_samples.ts";

const payload = { tool_name: "Bash", tool_input: {} };

async function fire(
  hooks: ReturnType<typeof hookOf>[],
  ends: Partial<HookRunEnd>[],
  event = "PreToolUse",
  servers?: HookServers,
) {
  const asked: HookRunRequest[] = [];
  const report = await fireHooks({ plugin: "p", hooks }, { event, payload, env: {} }, (request) => {
    asked.push(request);
    const runs = request.hooks.map(({ id }, index) => ({ ...runOf(ends[index]), id }));
    return Promise.resolve({ payload: { ...payload, sent: true }, runs, changes: [] });
  }, servers);
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

const callOf = (server: string, rest: object = {}) =>
  hookOf("PreToolUse", { type: "mcp_tool", server, tool: "judge", ...rest });

const answerOf = (text: string, isError = false): CallOutcome => ({
  kind: "result",
  raw: {},
  text,
  content: [{ type: "text", text }],
  isError,
  violations: [],
  durationMs: 1,
});

t.test("a hook calls the plugin's server with values of the payload, and its text decides", async (t) => {
  const called: unknown[] = [];
  const say = (answer: CallOutcome | PthError): HookServers => ({
    declared: ["plugin:p:law"],
    running: {
      name: "law",
      call: (...args) => {
        called.push(args);
        return answer instanceof PthError ? Promise.reject(answer) : Promise.resolve(answer);
      },
    },
  });
  const one = async (answer: CallOutcome | PthError, rest: object = {}) => {
    const { report } = await fire([callOf("plugin:p:law", rest)], [], "PreToolUse", say(answer));
    return { decision: report.decision, ...report.hooks[0]! };
  };
  const input = { of: "${tool_name} ${sent}", none: "${no.such}", deep: ["${tool_input}"] };
  const block = '{"decision":"block","reason":"no"}';
  t.match(await one(answerOf(block), { input }), { decision: "deny", outcome: "blocked" });
  t.same(called, [["judge", { of: "Bash true", none: "", deep: ["{}"] }, 600_000]]);
  t.match(await one(answerOf("fine")), { decision: "none", outcome: "success", diagnoses: [] });
  const failed = { decision: "none", outcome: "failed" };
  t.match(
    await one(answerOf(block, true)),
    { ...failed, diagnoses: [{ fault: true }] },
    "an error is no answer",
  );
  t.match(await one(answerOf('{"decision": broken}')), failed);
  t.match(await one(answerOf("", true), { onFailure: "block" }), { decision: "deny", outcome: "blocked" });
  t.match(await one(new PthError("NO_SUCH_TOOL", "no tool judge")), {
    ...failed,
    diagnoses: [{ fault: true, message: /no tool judge/ }],
  });
  t.match(await one(new PthError("SERVER_SILENT", "silent")), { decision: "none", outcome: "timed-out" });
  await t.rejects(one(new PthError("INTERNAL", "other")), { code: "INTERNAL" });
});

t.test("a name that Claude Code does not know is a fault; a server that was not started is not tested", async (t) => {
  const servers = { declared: ["plugin:p:law"] };
  const short = await fire([callOf("law")], [], "PreToolUse", servers);
  t.match(short.report.hooks, [{ outcome: "failed", diagnoses: [{ fault: true, message: /plugin:p:law/ }] }]);
  t.ok(hasFault(short.report));
  const guard = await fire([callOf("plugin:p:lw", { onFailure: "block" })], [], "PreToolUse", servers);
  t.equal(guard.report.decision, "deny");
  const others = [callOf("plugin:p:law"), callOf("theirs"), hookOf("PreToolUse", { type: "agent" })];
  const { report, asked } = await fire(others, [], "PreToolUse", servers);
  t.same(asked, []);
  t.match(untestedHooks(report), [
    /not started: load the plugin/,
    /theirs is none of/,
    /of type agent are not run/,
  ]);
  t.notOk(hasFault(report));
});

t.test("what stands in a payload's values is not filled in again", (t) => {
  t.equal(fillInput("${a} ${__proto__.x}", { a: "${b}", b: 1 }), "${b} ");
  t.end();
});
