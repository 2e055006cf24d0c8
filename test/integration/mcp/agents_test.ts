// test: timeout=180
/** The toolset `agents`: an agent works on a test with a prompt in a session, and on a prompt of its own; and own tests. */
import { join } from "node:path";
import t from "tap";
import { writeTextFile } from "../../../src/platform/files.ts";
import { openVendor } from "../../support/model_vendor.ts";
import { root } from "../../support/root.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { smallServer } from "../../support/small_server.ts";

const schema = '{ type: "object", properties: { text: { type: "string", description: "t" } } }';
const files = {
  "package.json": JSON.stringify({ name: "notes", version: "1.0.0" }),
  ".mcp.json": JSON.stringify({ mcpServers: { notes: { command: "node", args: ["server.mjs"] } } }),
  "server.mjs": smallServer({
    name: "notes",
    head: `import { writeFileSync } from "node:fs";
const write = ({ text }) => (writeFileSync("note.txt", text), "written");`,
    tools: `[{ name: "write", description: "Writes.", inputSchema: ${schema} }]`,
    text: "write(call.arguments)",
  }),
  "note.test.mjs": 'import { test } from "node:test";\ntest("notes", () => {});\n',
  "evals/milk/prompt.md": "Leave a note.\n",
  "evals/milk/graders/wrote.md": "---\ntype: tool_used\ntool: write\ninput_match: milk\n---\n",
  "fixtures/notes/fixture.yaml": "name: notes\npackage: ../..\n",
  "fixtures/notes/test_note.yaml": `test_id: note
execution:
  prompt: Leave a note.
  playbook: { turns: [{ calls: [{ tool: write, input: { text: milk } }] }, { text: Done. }] }
expectations:
  - { id: writes, type: tool_call, expected: { tool: write, pattern: milk } }
  - { id: bread, type: tool_call, expected: { tool: write, pattern: bread } }
`,
  ".pth/tests/note.yaml": `name: note
tier: 3
prompt: Leave the note "milk" behind.
checklist: [the note says milk]
verify: [{ exec: cat note.txt, expect_stdout: milk }]
`,
};
const evidence = '{"checklist":[{"item":"the note says milk","met":true,"evidence":"written"}]}';

t.test("an agent that is chosen works on tests with a prompt", async (t) => {
  const client = await openSessionClient(t, { PTH_TOOLSET: "all,agents" });
  const { folder, call, succeed, begin } = client;
  const playbook = join(folder, "book.yaml");
  await writeTextFile(
    playbook,
    `turns:\n  - calls: [{ tool: write, input: { text: milk } }]\n  - text: Done.\njudge:\n  - text: '${evidence}'\n`,
  );
  await writeTextFile(join(folder, "book.mjs"), `export default {};`);
  await begin(t, files, "host");
  const agent = {
    agent: "command",
    command: 'node "$PTH_AGENT/agent.mjs" chat',
    folder: join(root, "test/fixtures/agents/small"),
  };
  t.match((await succeed(t, "pth_list_agents")).text, /- command \(any program/);
  t.match((await succeed(t, "pth_debug_test")).data, {
    framework: "node:test",
    summary: { passed: 1, failed: 0 },
  });
  t.match((await call("pth_debug_test", { folder: ".." })).text, /outside of the plugin's folder/);
  t.match((await succeed(t, "pth_run_test", { id: "note" })).text, /^needs_agent/, "nobody was chosen");
  const { data } = await call("pth_run_test", { id: "note" });
  await succeed(t, "pth_complete_test_run", { runId: runIdOf(data), abandon: "an agent does it" });

  t.match(
    (await call("pth_use_agent", { ...agent, playbook: join(folder, "book.mjs") })).text,
    /is a program/,
  );
  await succeed(t, "pth_use_agent", { ...agent, playbook });
  const { data: passed, text } = await succeed(t, "pth_run_test", { id: "note" });
  t.match(passed, { result: { status: "passed" } }, text);

  const session = await succeed(t, "pth_run_agent", { ...agent, prompt: "Leave a note.", playbook });
  t.match(
    session.text,
    /^command went as the playbook says: 2 turns played\n.*write \{"text":"milk"\} → written/s,
  );

  const evals = { ...agent, playbook, runs: 2, workers: 2 };
  t.match((await call("pth_run_evals", { ...evals, by: "agent" })).text, /claude alone runs evals by itself/);
  const unasked = await succeed(t, "pth_run_evals", evals);
  t.match(unasked.text, /^0 of 1 case passed[^]*1 turn under `judge`, and needs none/);
  await writeTextFile(
    playbook,
    "turns:\n  - calls: [{ tool: write, input: { text: milk } }]\n  - text: Done.\n",
  );
  const judged = await succeed(t, "pth_run_evals", evals);
  t.match(judged.data, { passed: 1, cases: [{ name: "milk", passes: 2, runs: 2 }] }, judged.text);

  const { agent: name, ...program } = agent;
  const tested = await succeed(t, "pth_test_agents", { ...program, agents: [name] });
  t.match(
    tested.text,
    /^0 of 1 agent test passed, 1 partial\n- notes\/note partial, 1\/2 met\n {2}bread .*nearest: write /,
  );
});

t.test("an agent is recorded into the session's copy within a budget, and replayed without its model", async (t) => {
  const key = "sk-planted-1a2b3c4d5e";
  const client = await openSessionClient(t, { PTH_TOOLSET: "all,agents", PTH_TEST_MODEL_KEY: key });
  const { folder, call, succeed, begin } = client;
  await begin(t, files, "host");
  const agent = {
    command: 'node "$PTH_AGENT/agent.mjs" chat',
    folder: join(root, "test/fixtures/agents/small"),
  };
  const vendor = await openVendor(t, [
    { calls: [{ tool: "write", input: { text: "milk" } }], usage: { input_tokens: 90 } },
    { text: "Done." },
    { text: "Too much.", usage: { input_tokens: 90 } },
  ]);
  const request = { ...agent, agent: "command", prompt: "Leave a note.", upstream: vendor.url };
  const refused = async (more: Record<string, unknown>) =>
    (await call("pth_record_agent", { ...request, ...more })).text;
  const out = ".pth/books/note.yaml";
  t.match(
    await refused({ upstreamKey: "sk-live-77" }),
    /name of an environment variable, not the key itself/,
  );
  t.notMatch(await refused({ upstreamKey: "sk-live-77" }), "sk-live-77");
  t.match(await refused({ upstreamKey: "PTH_TEST_NO_KEY" }), /PTH_TEST_NO_KEY is not set/);
  t.match(await refused({ budgetCost: 1 }), /budgetCost cannot be counted without prices/);
  t.match(await refused({ out: "../note.yaml" }), /no file within the plugin's folder/);
  t.match(await refused({ out: ".mcp.json" }), /a recording is a YAML file/);
  t.match(await refused({ out: ".pth/tests/note.yaml" }), /it is there already/);
  t.match(await refused({ agent: "claude-eval" }), /there is none called claude-eval/);

  const recorded = await succeed(t, "pth_record_agent", {
    ...request,
    upstreamKey: "PTH_TEST_MODEL_KEY",
    budgetTokens: 1000,
    out,
  });
  t.match(recorded.text, `Recorded 2 turns in ${out}`);
  t.match(recorded.data, { failures: [], spent: { tokens: 110 }, file: out });
  t.notMatch(recorded.text, key);
  const over = await succeed(t, "pth_record_agent", { ...request, budgetTokens: 90 });
  t.match(over.data, {
    failures: [/the budget is spent: 95 of 90 tokens/, /stopped/],
    yaml: /text: Too much/,
  });
  await vendor.close();

  const replayed = await succeed(t, "pth_replay_agent", { ...agent, playbook: out });
  t.match(replayed.data, { failures: [], drift: [] }, replayed.text);
  t.strictSame(replayed.data["trace"], recorded.data["trace"]);
  const missing = await call("pth_replay_agent", { ...agent, playbook: ".pth/books/none.yaml" });
  t.match(missing.text, /there is no file \.pth\/books\/none\.yaml in the plugin/);
  t.match(
    (await call("pth_replay_agent", { ...agent, playbook: join(folder, "a.yaml"), update: true })).text,
    /it is not in the session's copy/,
  );
  t.match(
    (await call("pth_replay_agent", { ...agent, playbook: ".pth/tests/note.yaml" })).text,
    /note\.yaml:1:1/,
    "what is no playbook is told with its place",
  );
});

/** The open run, which a refusal names, too. */
const runIdOf = (data: Record<string, unknown>): string =>
  String(data["runId"] ?? /runId: "([^"]+)"/.exec(JSON.stringify(data).replaceAll("\\", ""))?.[1]);
