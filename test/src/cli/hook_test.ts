import { join } from "node:path";
import t, { type Test } from "tap";
import { runCli } from "../../../src/cli/main.ts";
import { readPayloads } from "../../../src/cli/hook/read_payloads.ts";
import { renderHookReport } from "../../../src/cli/hook/render_hook_report.ts";
import { Problems } from "../../../src/cli/options/problems.ts";
import type { HookReport } from "../../../src/hooks/fire_hooks.ts";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { keptContext, scriptedHarness } from "./scripted_harness.ts";

async function pth(...args: string[]) {
  const played = scriptedHarness();
  const kept = keptContext(played);
  const exitCode = await runCli(["hook", ...args], kept.context);
  return { exitCode, stderr: kept.stderr(), calls: played.calls };
}

async function pluginWith(t: Test, hooks: unknown): Promise<string> {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, "hooks"));
  await writeTextFile(join(folder, "hooks/hooks.json"), JSON.stringify({ hooks }));
  return folder;
}

t.test("everything that is wrong with the command line is told at once, and nothing starts", async (t) => {
  const { exitCode, stderr, calls } = await pth(
    ...[
      "fire",
      "/nowhere",
      "PreToolUse",
      "--env",
      "host",
      "--input",
      "[]",
      "--var",
      "x",
      "--project",
      "/none",
    ],
  );
  t.equal(exitCode, 2);
  for (
    const problem of [
      "hooks are read from a folder, and /nowhere is none",
      "--input expects a JSON object",
      "--var expects NAME=value",
      "--project: there is no folder /none",
    ]
  ) t.match(stderr, problem);
  t.same(calls, []);
  t.match((await pth("fire", "--env", "host")).stderr, "name a plugin and an event");
  t.match((await pth("fire", ".", "Stopp", "--env", "host")).stderr, 'did you mean "Stop"');
});

t.test("an event without a hook is an error that names those with one, and mistakes of the file", async (t) => {
  const plugin = await pluginWith(t, { Stop: [{ hooks: [{ type: "command", command: "x" }] }], Strat: [] });
  const { exitCode, stderr, calls } = await pth("fire", plugin, "SessionStart", "--env", "host");
  t.equal(exitCode, 2);
  t.match(stderr, "the plugin has no hook for it");
  t.match(stderr, 'there is no event "Strat"');
  t.match(stderr, "It has hooks for Stop");
  t.same(calls, []);
});

t.test("where a guard has a mistake nothing is fired, for none of the hooks is loaded", async (t) => {
  const stop = { Stop: [{ hooks: [{ type: "command", command: "x" }] }] };
  const plugin = await pluginWith(t, { ...stop, PreToolUse: [{ hooks: [{ type: "comand" }] }] });
  const { exitCode, stderr, calls } = await pth("fire", plugin, "Stop", "--env", "host");
  t.equal(exitCode, 2);
  t.match(stderr, /loads none of the plugin's[^]*hooks.json:1:\d+ PreToolUse: type: unknown type "comand"/);
  t.same(calls, []);
});

t.test("options of fire are not for test, nor the other way round", async (t) => {
  t.match((await pth("test")).stderr, "name a folder with tests");
  const { exitCode, stderr } = await pth("test", ".", "Stop", "--tool", "x");
  t.equal(exitCode, 2);
  t.match(stderr, "test takes no event");
  t.match(stderr, "--tool is for pth hook fire");
  t.match(
    (await pth("fire", ".", "Stop", "--grep", "x", "--env", "host")).stderr,
    "--grep is for pth hook test",
  );
});

t.test("hooks with mistakes in their definitions are not tested", async (t) => {
  const plugin = await pluginWith(t, { Strat: [] });
  await writeTextFile(
    join(plugin, "a.hooks.yaml"),
    "tests:\n  - name: a\n    event: Stop\n    expect: { decision: none }\n",
  );
  const { exitCode, stderr, calls } = await pth("test", plugin, "--env", "host");
  t.equal(exitCode, 2);
  t.match(stderr, 'there is no event "Strat"');
  t.same(calls, []);
});

t.test("payloads come from a file of one, or of lines, of which those of the event count", async (t) => {
  const folder = await temporaryFolder(t);
  const read = async (text: string, event = "Stop", more = {}) => {
    const file = join(folder, "payload");
    await writeTextFile(file, text);
    const problems = new Problems();
    const payloads = await readPayloads(event, { payload: file, ...more }, problems);
    try {
      problems.throwIfAny("x");
    } catch (error) {
      return String(error);
    }
    return payloads;
  };
  t.match(await read('{"a":\n1}'), [{ hook_event_name: "Stop", a: 1 }]);
  t.match(
    await read(
      '{"hook_event_name":"Stop","a":1}\n{"hook_event_name":"SessionEnd"}\n{"hook_event_name":"Stop","a":2}',
    ),
    [{ a: 1 }, { a: 2 }],
  );
  t.match(await read('{"hook_event_name":"Stop"}\nx'), /:2: expected a JSON object/);
  t.match(
    await read('{"hook_event_name":"Stop"}\n{"hook_event_name":"Stop"}', "SessionEnd"),
    /has no payload of/,
  );
  t.match(await read(""), /is empty/);
  t.match(await read("{}\n".repeat(51)), /at most 50 payloads/);
  t.match(await read("{}", "PreToolUse", { tool: "Write", input: '{"a":1}' }), [
    { tool_name: "Write", tool_input: { a: 1 } },
  ]);
  t.match(await readPayloads("Stop", { payload: "recorded" }, new Problems()), [{ stop_hook_active: false }]);
});

t.test("a report tells the decision, each hook, its output and what is wrong with it", (t) => {
  const report: HookReport = {
    event: "PreToolUse",
    payload: { tool_name: "Bash", tool_input: { command: "ls" } },
    decision: "deny",
    reasons: ["no"],
    consequence: "the tool is not called",
    stops: true,
    stopReasons: ["end"],
    context: ["c"],
    messages: ["m"],
    updatedInput: { command: "x" },
    hooks: [{
      place: { file: "hooks/hooks.json", line: 3, column: 1 },
      matcher: "Bash",
      type: "command",
      subject: "guard.sh",
      outcome: "blocked",
      exitCode: 2,
      stdout: "",
      stderr: "no\u001b[31m\n",
      durationMs: 12,
      limitMs: 1000,
      diagnoses: [{ fault: true, message: "it is wrong" }, { fault: false, message: "it is odd" }],
    }, {
      place: { file: "hooks/hooks.json", line: 9, column: 1 },
      type: "prompt",
      subject: "p",
      skipped: "hooks of type prompt are not run",
      diagnoses: [],
    }],
    changes: [{ path: "a", change: "added" }],
  };
  const text = renderHookReport(report);
  for (
    const line of [
      'PreToolUse  Bash {"command":"ls"}  1 hook of 2 ran',
      "✖ hooks/hooks.json:3 [Bash] command: guard.sh",
      "    blocked, exit code 2, 12 ms",
      "    ✖ it is wrong",
      "    Note: it is odd",
      "- hooks/hooks.json:9 prompt: p",
      "    not run: hooks of type prompt are not run",
      "Decision: deny (the tool is not called)",
      "  reason: no",
      "  the agent stops: end",
      "  to the model: c",
      "  to the user: m",
      "  added a",
    ]
  ) t.ok(text.includes(`${line}\n`), line);
  t.notMatch(text, "\u001b");
  t.end();
});
