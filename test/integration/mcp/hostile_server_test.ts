// test: timeout=180
/** A server that means harm, behind `pth mcp`: requests are answered, its signs are shown, signals end PTH. */
import { join } from "node:path";
import t, { type Test } from "tap";
import { fixture } from "../../support/pth_run.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { initialize, initialized, line, startRaw } from "../../support/mcp_process.ts";

t.setTimeout(180_000);

/** A session with the server loaded, and the number of the next request. */
async function begin(t: Test, behaviour: string) {
  const folder = await temporaryFolder(t);
  const server = await startRaw([], {
    PTH_HOME: join(folder, "home"),
    PTH_WORKTREE_DIR: join(folder, "worktrees"),
  });
  t.teardown(() => server.process.kill("SIGKILL"));
  server.write(initialize + initialized);
  await server.next();
  let id = 1;
  const ask = (name: string, args: Record<string, unknown>) =>
    server.write(line({ id: ++id, method: "tools/call", params: { name, arguments: args } }));
  const answer = async () => {
    for (;;) {
      const message = await server.next();
      if (message.id === id) return JSON.stringify((message.result as { content: unknown }).content);
    }
  };
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    ask(name, args);
    return await answer();
  };
  await call("pth_start_session", { command: ["node", fixture("hostile_server/hostile.mjs"), behaviour] });
  await call("pth_provision_environment", { runtime: "host" });
  t.match(await call("pth_load_plugin"), /tools/);
  return { server, ask, call };
}

t.test("SIGTERM ends PTH while the schemas of a server keep it busy", async (t) => {
  const { server, ask } = await begin(t, "tools_run_away");
  ask("pth_generate_tests", {});
  await new Promise((resolve) => setTimeout(resolve, 700));
  const started = performance.now();
  server.process.kill("SIGTERM");
  const { code } = await server.process.exited;
  t.equal(code, 143);
  const tookMs = performance.now() - started;
  t.ok(tookMs < 10_000, `${tookMs} ms, with the end of the session`);
});

t.test("names that turn text around are shown as escapes, and requests are answered", async (t) => {
  const { call } = await begin(t, "name_bidi");
  const tools = await call("pth_list_plugin_tools");
  t.match(tools, "safe\\\\u202Eelif_eteled");
  t.notMatch(tools, /[\u202a-\u202e\u2066-\u2069]/);
  t.match(await call("pth_generate_tests", { maxTests: 2 }), /tests-left-out|2 tests|\d tests/);
});
