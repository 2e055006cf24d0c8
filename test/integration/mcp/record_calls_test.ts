// test: timeout=60
/** Calls of a session become a scenario that runs (docs/replaying.md). */
import { readFile, rm } from "node:fs/promises";
import t from "tap";
import { openSessionClient } from "../../support/session_client.ts";
import { smallServer } from "../../support/small_server.ts";

t.setTimeout(50_000);
const { call, succeed, begin } = await openSessionClient(t);

const files = {
  "package.json": JSON.stringify({ name: "people", version: "1.0.0", type: "module" }),
  ".mcp.json": JSON.stringify({ mcpServers: { people: { command: "node", args: ["server.mjs"] } } }),
  "server.mjs": smallServer({
    name: "people",
    head: `const known = new Set();
let asked = false;
const tools = {
  add: () => { const id = "person-" + Math.random(); known.add(id); return JSON.stringify({ id, ok: true }); },
  once: () => { if (asked) throw new Error("only once"); asked = true; return "done"; },
  greet: ({ id }) => known.has(id) ? "Hello" : "Who?",
};`,
    tools: 'Object.keys(tools).map((name) => ({ name, description: name, inputSchema: { type: "object" } }))',
    text: "tools[call.name](call.arguments)",
  }),
};

t.test("between start and stop each call becomes a step, and ids that differ each time are captured", async (t) => {
  if (!await begin(t, files, "sandbox")) await begin(t, files, "host");
  const early = await call("pth_record_calls", { action: "stop" });
  t.match(early.text, /NOT_NOW[^]*pth_record_calls/);
  await succeed(t, "pth_record_calls", { action: "start", name: "add and greet" });
  t.match((await call("pth_record_calls", { action: "stop" })).text, /no tool was called/);
  const added = await succeed(t, "pth_call_plugin_tool", { tool: "add" });
  const { id } = JSON.parse(String(added.data.text));
  await succeed(t, "pth_call_plugin_tool", { tool: "greet", input: { id } });
  const { text, data } = await succeed(t, "pth_record_calls", { action: "stop" });
  t.match(text, /2 calls kept as add-and-greet in .*\.pth\/tests\/add-and-greet\.yaml/);
  t.match(data, { test: { tier: 2, steps: [{ capture: { id: "$.output.id" } }, {}] } });
  const ran = await succeed(t, "pth_run_test", { id: "add-and-greet" });
  t.match(ran.data, { result: { status: "passed", tier: 2 } });
  t.match(text, /Run once:\n✓ add-and-greet/);

  await succeed(t, "pth_record_calls", { action: "start", name: "once only" });
  await succeed(t, "pth_call_plugin_tool", { tool: "once" });
  const refused = await succeed(t, "pth_record_calls", { action: "stop" });
  t.match(
    refused.text,
    /^Not saved: 1 call recorded, and the test fails[^]*✗ once-only[^]*\nname: once only\n/,
  );
  t.match(refused.data, { kept: false, result: { status: "failed" }, yaml: /tool: once/ });
  const known = await succeed(t, "pth_list_tests", { grep: "once only" });
  t.match(known.data, { total: 0 });

  const { file } = (data as { test: { file: string } }).test;
  const yaml = await readFile(file, "utf8");
  await rm(file);
  const gone = await call("pth_run_test", { id: "add-and-greet" });
  t.match(gone.text, /Cannot run add-and-greet[^]*add-and-greet\.yaml is gone: 1 test/);
  await succeed(t, "pth_create_test", { yaml });
  const deleted = await succeed(t, "pth_delete_test", { id: "add-and-greet" });
  t.match(deleted.text, /Test add-and-greet deleted\. Removed with it: .*add-and-greet\.yaml/);
  t.equal(deleted.data.yaml, yaml);
  t.match((await call("pth_run_test", { id: "add-and-greet" })).text, /NO_SUCH_TEST/);
  await succeed(t, "pth_end_session");
});
