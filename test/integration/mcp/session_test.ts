// test: timeout=600
/** A whole session over MCP, as Claude Code drives one: a real client, a real plugin, a real sandbox. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
// Deno does not find the declarations behind this package's pattern export when the name ends in ".js".
// @ts-types="@modelcontextprotocol/sdk/types"
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { readTextFile } from "../../../src/platform/files.ts";
import { usualTools } from "../../support/usual_tools.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { connectMcpClient } from "../../support/mcp_client.ts";

/** Installing takes as long as the registry takes. */
const slow = { timeout: 500_000 };
t.setTimeout(slow.timeout);

const folder = await mkdtemp(join(tmpdir(), "pth-mcp-test-"));
const pluginPath = await copyFixture("sample_plugin", folder, "archives");
const worktrees = join(folder, "worktrees");

let listChanged = 0;
t.teardown(() => rm(folder, { recursive: true, force: true }));
const { client, call } = await connectMcpClient(t, {
  env: { PTH_HOME: join(folder, "home"), PTH_WORKTREE_DIR: worktrees },
  prepare: (client) =>
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void listChanged++),
});

const toolNames = async () => (await client.listTools()).tools.map(({ name }) => name).sort();

t.test("three tools, and preflight says what is ready", slow, async (t) => {
  t.equal((await toolNames()).length, 3);
  const { text, isError } = await call("pth_preflight", { pluginPath });
  t.notOk(isError, text);
  t.match(text, /sandbox/);
});

t.test("a target that is not there is refused, and the session stays dormant", slow, async (t) => {
  const { text, isError } = await call("pth_start_session", { pluginPath: join(folder, "nowhere") });
  t.equal(isError, true);
  t.match(text, "[TARGET_NOT_FOUND]");
  t.equal((await toolNames()).length, 3);
  t.equal(listChanged, 0);
});

t.test("starting a session brings all tools", slow, async (t) => {
  const { text, isError, data } = await call("pth_start_session", { pluginPath });
  t.notOk(isError, text);
  t.match(data, { session: { source: { name: "sample-plugin" } } });
  t.equal(listChanged, 1);
  t.strictSame(await toolNames(), usualTools.map(({ name }) => name).sort());
  const again = await call("pth_start_session", { pluginPath });
  t.match(again.text, "[SESSION_ACTIVE]");
});

t.test("the plugin cannot be loaded before there is an environment", slow, async (t) => {
  const { text, isError } = await call("pth_load_plugin");
  t.equal(isError, true);
  t.match(text, /\[NOT_NOW\]/);
});

t.test("provisioning says what it made and why", slow, async (t) => {
  const { text, isError, data } = await call("pth_provision_environment", { runtime: "sandbox", tier: "1" });
  t.notOk(isError, text);
  t.match(text, /^Environment .*: sandbox, tier 1/);
  t.match(data, { environment: { runtime: "sandbox" }, state: { cpus: Number, memoryMB: Number } });
});

t.test("commands run inside, and files go in and out", slow, async (t) => {
  const out = await call("pth_exec_in_environment", { command: "echo out; echo err >&2; exit 3" });
  t.notOk(out.isError);
  t.match(out.data, { exitCode: 3, stdout: "out", stderr: "err" });
  const hostPath = join(pluginPath, "package.json");
  t.notOk((await call("pth_copy_to_environment", { hostPath, envPath: "/opt/there.json" })).isError);
  const back = join(folder, "back.json");
  const copied = await call("pth_copy_from_environment", { hostPath: back, envPath: "/opt/there.json" });
  t.notOk(copied.isError, copied.text);
  t.equal(await readTextFile(back), await readTextFile(hostPath));
  const missing = await call("pth_copy_from_environment", { hostPath: back, envPath: "/no/such" });
  t.match(missing.text, "[COPY_FAILED]");
});

t.test("loading installs, builds and starts the plugin, with progress", slow, async (t) => {
  const notes: unknown[] = [];
  const { text, isError, data } = await call("pth_load_plugin", {}, {
    onprogress: (note) => notes.push(note),
  });
  t.notOk(isError, text);
  t.match(text, /^sample-plugin 1\.2\.0 runs: sample-plugin 1\.2\.0, protocol .*, 10 tools/);
  t.equal((data["tools"] as unknown[]).length, 10);
  t.ok(notes.length >= 2, `${notes.length} notes`);
  t.match((await call("pth_get_plugin_status")).text, /^Plugin: ready, 10 tools/);
  t.match(await call("pth_list_plugin_tools"), { isError: false, data: { total: 10 } });
  t.match(await call("pth_get_plugin_config"), { isError: false });
});

t.test("a tool of the plugin can be called, and one that it lacks is refused", slow, async (t) => {
  const tools = (await call("pth_list_plugin_tools", { detail: true })).data["tools"] as { name: string }[];
  t.ok(tools.some(({ name }) => name === "echo"), tools.map(({ name }) => name).join());
  const outcome = await call("pth_call_plugin_tool", {
    tool: "echo",
    input: '{"message":"hello"}',
  });
  t.notOk(outcome.isError, outcome.text);
  t.match(outcome.text, "hello");
  t.match((await call("pth_call_plugin_tool", { tool: "ecco" })).text, "[NO_SUCH_TOOL]");
});

t.test("tests are generated, listed and run; a failing test is an answer", slow, async (t) => {
  const generated = await call("pth_generate_tests", {});
  t.notOk(generated.isError, generated.text);
  const listed = await call("pth_list_tests");
  t.ok(Number(listed.data["total"]) > 20, listed.text);
  const suite = await call("pth_run_test_suite", { workers: "2" });
  t.notOk(suite.isError, suite.text);
  t.match(suite.data, { summary: { failed: 0 } }, suite.text);
  const wrong = 'name: echo shouts\ntool: echo\ninput: {message: a}\nexpect: {output_contains: "A!"}\n';
  const created = await call("pth_create_test", { yaml: wrong });
  t.notOk(created.isError, created.text);
  const { id } = created.data["test"] as { id: string };
  const failed = await call("pth_run_test", { id });
  t.equal(failed.isError, false);
  t.match(failed.data, { result: { status: "failed" } });
  t.match(await call("pth_get_test_results", { status: "failed" }), { data: { summary: { failed: 1 } } });
  const right = wrong.replace("A!", "a");
  t.match(await call("pth_edit_test", { id, yaml: right }), { isError: false });
  t.match(await call("pth_run_test", { id }), { data: { result: { status: "passed" } } });
  const bad = await call("pth_create_test", { yaml: "name: x\ntool: echo\nexpct: {}\n" });
  t.match(bad.text, /\[INVALID_TEST_FILE\]/);
  t.match((await call("pth_run_test", { id: "nonsense" })).text, "[NO_SUCH_TEST]");
  t.match((await call("pth_run_test_suite", { tag: "nonsense" })).text, "[NO_TESTS_MATCH]");
});

t.test("the environment is snapshotted, inspected, checked and rolled back", slow, async (t) => {
  const snapshot = await call("pth_snapshot_environment", { tag: "before" });
  t.notOk(snapshot.isError, snapshot.text);
  await call("pth_exec_in_environment", { command: "touch /opt/after" });
  t.match(await call("pth_inspect_environment"), { isError: false, data: { state: { status: "running" } } });
  t.match(await call("pth_check_environment_health"), { isError: false, data: { processes: Number } });
  t.match(await call("pth_check_environment_drift"), { isError: false, data: { drifted: true } });
  t.match(await call("pth_get_environment_logs"), { isError: false });
  const back = await call("pth_rollback_environment", { snapshot: "before" }); // by its tag
  t.notOk(back.isError, back.text);
  t.match(await call("pth_exec_in_environment", { command: "ls /opt/after" }), { data: { exitCode: 2 } });
  t.match((await call("pth_rollback_environment", { snapshot: "nonsense" })).text, "[NO_SUCH_SNAPSHOT]");
});

t.test("the plugin is reloaded, and the environment replaced and destroyed", slow, async (t) => {
  const reloaded = await call("pth_reload_plugin");
  t.notOk(reloaded.isError, reloaded.text);
  t.match(reloaded.data, { tools: { total: 10, added: [], removed: [] } });
  const replaced = await call("pth_reprovision_environment", { runtime: "host" });
  t.notOk(replaced.isError, replaced.text);
  t.match(replaced.data, { environment: { runtime: "host" }, reloaded: true });
  t.notOk((await call("pth_destroy_environment")).isError);
  t.match((await call("pth_exec_in_environment", { command: "true" })).text, /\[\w+\]\n?/);
});

t.test("ending withdraws the tools and removes the worktree", slow, async (t) => {
  const { text, isError } = await call("pth_end_session");
  t.notOk(isError, text);
  t.equal(listChanged, 2);
  t.equal((await toolNames()).length, 3);
  t.strictSame(await readdir(worktrees).catch(() => []), []);
});
