// test: timeout=120
/** Tests with a prompt, worked by a real MCP client. */
import t from "tap";
import { eventually } from "../../contracts/runtime/context.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { smallServer } from "../../support/small_server.ts";

t.setTimeout(110_000);

const schema = '{ type: "object", properties: { text: { type: "string" } } }';
const files = {
  "package.json": JSON.stringify({ name: "notes", version: "1.0.0", type: "module" }),
  ".mcp.json": JSON.stringify({ mcpServers: { notes: { command: "node", args: ["server.mjs"] } } }),
  "server.mjs": smallServer({
    name: "notes",
    head: `import { writeFileSync, existsSync, readFileSync } from "node:fs";
const tools = {
  write: ({ text }) => (writeFileSync("note.txt", text), "written"),
  read: () => existsSync("note.txt") ? readFileSync("note.txt", "utf8") : "nothing",
  die: () => process.exit(3),
};`,
    tools: `Object.keys(tools).map((name) => ({ name, description: name, inputSchema: ${schema} }))`,
    text: "tools[call.name](call.arguments)",
  }),
};

const yaml = (name: string, more = "") =>
  `name: ${name}
tier: 3
prompt: Leave the note "milk" behind.
checklist:
  - the note says milk
  - it can be read back
setup:
  - exec: rm -f note.txt
verify:
  - exec: cat note.txt
    expect_stdout: milk
${more}`;

const judged = (first = true) => [
  { item: "the note says milk", met: first, evidence: "write answered: written" },
  { item: "it can be read back", met: true, evidence: "read answered: milk" },
];

const { call, succeed, begin } = await openSessionClient(t);
let id = "";

t.test("a session with a prompt to work on", async (t) => {
  if (!await begin(t, files, "sandbox")) await begin(t, files, "host");
  id = await create("leaves a note");
});

const create = async (name: string, more?: string): Promise<string> => {
  const { data } = await call("pth_create_test", { yaml: yaml(name, more) });
  return (data.test as { id: string }).id;
};
const start = async (test: string): Promise<string> => {
  const { text, data } = await call("pth_run_test", { id: test });
  if (!/^needs_agent: run \w+, .* from now on\./.test(text)) throw new Error(text);
  return String(data.runId);
};
t.test("a prompt is worked through the plugin's tools, judged, and verified in the environment", async (t) => {
  const { data: told } = await succeed(t, "pth_run_test", { id });
  t.match(told, {
    status: "needs_agent",
    prompt: /milk/,
    checklist: ["the note says milk", "it can be read back"],
  });
  const runId = String(told.runId);
  const busy = await call("pth_run_test_suite");
  t.match(busy.text, /NOT_NOW/, "a suite would take the server away");
  t.match(busy.text, /pth_complete_test_run/);
  const written = await succeed(t, "pth_call_plugin_tool", { runId, tool: "write", input: { text: "milk" } });
  t.match(written.text, "written");
  await succeed(t, "pth_call_plugin_tool", { runId, tool: "read" });

  const unjudged = await call("pth_complete_test_run", { runId, checklist: judged().slice(1) });
  t.match(unjudged.text, /Judge: "the note says milk"/);
  t.match(unjudged.text, /The run is still open/);

  const { text, data } = await succeed(t, "pth_complete_test_run", { runId, checklist: judged() });
  t.match(text, /^✓ leaves-a-note/);
  t.match(text, /2 calls, 1 command verified/);
  t.match(data, { result: { status: "passed", tier: 3, checklist: judged() } });
  const results = await succeed(t, "pth_get_test_results");
  t.match(results.data, { summary: { passed: 1, failed: 0 } });

  const late = await call("pth_call_plugin_tool", { runId, tool: "read" });
  t.match(late.text, /Cannot work in run \w+: it has ended \(passed\)/);
  t.match((await call("pth_complete_test_run", { runId: "nobody" })).text, /there is no such run/);
});

t.test("an item that is not met fails the test, and so does verify against the agent's word", async (t) => {
  const first = await start(id);
  await succeed(t, "pth_call_plugin_tool", { runId: first, tool: "write", input: { text: "milk" } });
  const unmet = await succeed(t, "pth_complete_test_run", { runId: first, checklist: judged(false) });
  t.match(unmet.data, { result: { status: "failed", category: "missing-side-effect" } });
  t.match(unmet.text, /not met: the note says milk: write answered/);

  const second = await start(id);
  await succeed(t, "pth_call_plugin_tool", { runId: second, tool: "write", input: { text: "bread" } });
  const wrong = await succeed(t, "pth_complete_test_run", { runId: second, checklist: judged() });
  t.match(wrong.data, { result: { status: "failed", category: "missing-side-effect" } });
  t.match(wrong.text, /verify "cat note\.txt"/);
});

t.test("a run in which nothing was called, or that was given up, is skipped and never passed", async (t) => {
  const idle = await start(await create("verifies without work", ""));
  const none = await succeed(t, "pth_complete_test_run", { runId: idle, checklist: judged() });
  t.match(none.data, { result: { status: "skipped", note: /no tool was called/ } });

  const runId = await start(id);
  const { data } = await succeed(t, "pth_complete_test_run", { runId, abandon: "no tool for it" });
  t.match(data, { result: { status: "skipped", note: "the run was given up: no tool for it" } });
});

t.test("what an open run refuses costs nobody a result, and waits for nothing", async (t) => {
  const before = (await succeed(t, "pth_get_test_results")).data.summary;
  t.match(before, { total: 2 });
  const other = await start(await create("stays open"));
  t.match((await call("pth_run_test_suite")).text, /NOT_NOW/);
  t.match((await succeed(t, "pth_get_test_results")).data.summary, before);
  const beside = await call("pth_call_plugin_tool", { tool: "read" });
  t.match(beside.text, /NOT_NOW/, "the run has the server");
  t.match(beside.text, /pth_call_plugin_tool\(\{ runId/);
  await succeed(t, "pth_complete_test_run", { runId: other, abandon: "enough" });
});

t.test("a setup without end fails the test when its time is up, and the session goes on", async (t) => {
  const slow = await create("waits for ever", "timeout_seconds: 0.5\n");
  await succeed(t, "pth_edit_test", {
    id: slow,
    yaml: yaml("waits for ever", "timeout_seconds: 0.5\n").replace("rm -f note.txt", "sleep 100"),
  });
  const { data } = await succeed(t, "pth_run_test", { id: slow });
  t.match(data, { result: { status: "failed", message: /setup failed.*more than 0\.5 s/ } });
  const runId = await start(id);
  await succeed(t, "pth_complete_test_run", { runId, abandon: "the server is free again" });
});

t.test("a server that dies under the agent fails the test with its last words", async (t) => {
  const runId = await start(id);
  const died = await call("pth_call_plugin_tool", { runId, tool: "die" });
  t.ok(died.isError, died.text);
  const { data } = await succeed(t, "pth_get_test_results", { detail: true });
  t.match(data, { results: [{ name: "leaves a note", category: "runtime-exception" }] });
  const again = await start(id);
  await succeed(t, "pth_call_plugin_tool", { runId: again, tool: "write", input: { text: "milk" } });
  const { text } = await succeed(t, "pth_complete_test_run", { runId: again, checklist: judged() });
  t.match(text, /^✓/, "the next run has a server of its own");
});

t.test("a run whose time is up has failed, and whoever works on hears it", async (t) => {
  // Its setup has as long.
  const runId = await start(await create("too slow", "timeout_seconds: 2\n"));
  let text = "";
  const hasEnded = async () => {
    text = (await call("pth_call_plugin_tool", { runId, tool: "read" })).text;
    return /it has ended/.test(text);
  };
  await eventually(hasEnded, 60_000);
  t.match(text, /it has ended \(failed\)/);
  t.match(text, /not closed within its limit/);
});

t.test("a prompt that needs a higher tier is refused, with the way there", async (t) => {
  const high = await create("needs systemd", "requires_tier: 2\n");
  const { text } = await call("pth_run_test", { id: high });
  t.match(text, /it needs an environment of tier 2 \(a container with systemd\), this one is tier 1/);
  t.match(text, /pth_reprovision_environment\(\{ tier: 2 \}\)/);
});

t.test("in a suite, where nobody works on it, a prompt is skipped with the reason", async (t) => {
  const { data } = await succeed(t, "pth_run_test_suite", { tier: 3 });
  t.match(data, { summary: { passed: 0, failed: 0, skipped: 6 } });
  t.match(JSON.stringify(data), /needs an agent/);
});

t.test("a session ends while a run is open, and leaves nothing behind", async (t) => {
  await start(id);
  const { text } = await succeed(t, "pth_end_session");
  t.notMatch(text, /Could not be removed/);
});
