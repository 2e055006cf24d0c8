// test: timeout=300
/** Servers that crash, hang or do not load, as whoever drives the session is told of them. */
import { join } from "node:path";
import t, { type Test } from "tap";
import { openSessionClient } from "../../support/session_client.ts";
import { breakingPlugin } from "./recovery_plugin.ts";
import { makeRepository } from "../../src/session/helpers.ts";

t.setTimeout(280_000);
const { folder, call, succeed } = await openSessionClient(t);

/** A session in a sandbox, not loaded yet. */
async function provisioned(t: Test, name: string, manifest?: Record<string, unknown>) {
  const pluginPath = join(folder, name);
  await makeRepository(pluginPath, breakingPlugin(manifest));
  await succeed(t, "pth_start_session", { pluginPath });
  await succeed(t, "pth_provision_environment", { runtime: "sandbox" });
}

t.test("a server that crashes or hangs is told with its end, and the next call has a new instance", async (t) => {
  await provisioned(t, "crashes");
  const command = ["sh", "-c", "ulimit -c unlimited 2>/dev/null; exec node server.mjs"];
  await succeed(t, "pth_load_plugin", { command });
  await succeed(t, "pth_call_plugin_tool", { tool: "hello" });

  await t.test("it exits", async (t) => {
    const { text, data } = await call("pth_call_plugin_tool", { tool: "exits" });
    t.match(text, /^Cannot call exits: the server has exited: exited with 7 \[SERVER_LOST\]/);
    t.match(text, /Output:\nfatal: the store is corrupt/);
    t.match(text, /Exit code: 7/);
    t.match(text, /Last successful call: hello at 20/);
    t.match(text, /Next:[^]*pth_reload_plugin\(\{\}\)[^]*pth_reprovision_environment/);
    t.match(data, { error: { code: "SERVER_LOST", exitCode: 7, lastCall: /^hello at / } });
    t.match((await succeed(t, "pth_call_plugin_tool", { tool: "hello" })).text, /hello/);
  });

  await t.test("it aborts", async (t) => {
    const { text } = await call("pth_call_plugin_tool", { tool: "aborts" });
    t.match(text, /\[SERVER_LOST\]/);
    t.match(text, /Core dump: (\/\S+core\S*|handed to |none was written)/);
    await succeed(t, "pth_call_plugin_tool", { tool: "hello" });
  });

  await t.test("it hangs", async (t) => {
    const { text, data } = await call("pth_call_plugin_tool", { tool: "hangs", timeoutSeconds: 1 });
    t.match(text, /^Cannot call hangs: no answer within 1 s; it answers no ping either, and is ended/);
    t.match(text, /Time since its last answer: \d/);
    t.match(text, /Processes:\n {2}pid ppid state threads.*\n {2}\d+ \d+ R.* node server\.mjs/);
    t.match(text, /Resources: disk \d/);
    t.match(text, /Next:[^]*timeoutSeconds/);
    t.match(data, { error: { code: "SERVER_SILENT" } });
    await succeed(t, "pth_call_plugin_tool", { tool: "hello" });
  });

  await t.test("it takes long, and still answers pings", async (t) => {
    const { text } = await call("pth_call_plugin_tool", { tool: "waits", timeoutSeconds: 0.5 });
    t.match(text, /no answer within 0.5 s; it still answers pings/);
    await succeed(t, "pth_call_plugin_tool", { tool: "hello" });
  });
  await succeed(t, "pth_end_session");
});

t.test("a build that fails is told with its output, its system and the dependencies", async (t) => {
  await provisioned(t, "builds", { scripts: { build: "echo 'src/a.ts(3,1): error TS1005' && exit 2" } });
  const { text, data } = await call("pth_load_plugin");
  t.match(text, /\[BUILD_FAILED\]/);
  t.match(text, /Output:[^]*src\/a\.ts\(3,1\): error TS1005/);
  t.match(text, /Build system: npm/);
  t.match(text, /Dependency tree:\n {2}breaks@1\.0\.0 /);
  t.match(text, /Next:[^]*pth_load_plugin\(\{ build: /);
  t.match(data, { error: { code: "BUILD_FAILED", buildSystem: /npm/ } });

  t.comment("another command gets it going, as it said");
  await succeed(t, "pth_load_plugin", { build: "true" });
  await succeed(t, "pth_end_session");
});

t.test("an install that reaches no registry is tried again, then told with a test of the network", async (t) => {
  await provisioned(t, "installs", { dependencies: { "left-out": "1.0.0" } });
  const install = "npm install --registry http://127.0.0.1:9 --fetch-retries 0 --no-audit";
  const { text, data } = await call("pth_load_plugin", { install, retries: 1 });
  t.match(text, /\[NETWORK_UNAVAILABLE\]/);
  t.match(text, /Output:[^]*ECONNREFUSED/);
  t.match(text, /Connectivity test:\n {2}127\.0\.0\.1:9: ECONNREFUSED/);
  t.match(text, /Tried:[^]*- 2 times, with longer and longer pauses/);
  t.match(text, /Next:[^]*pth_load_plugin\(\{ retries: 5 \}\)/);
  t.match(data, { error: { code: "NETWORK_UNAVAILABLE", attempts: 2 } });
  await succeed(t, "pth_end_session");
});

t.test("the limit of a start is an argument", async (t) => {
  await provisioned(t, "starts late");
  const configValues = { START_DELAY: "4000" };
  const { text } = await call("pth_load_plugin", { configValues, startTimeoutSeconds: 1 });
  t.match(text, /no answer within/);
  t.match(text, /\[SERVER_SILENT\]/);
  t.match(text, /startTimeoutSeconds/);
  await succeed(t, "pth_load_plugin", { configValues, startTimeoutSeconds: 120 });
  await succeed(t, "pth_end_session");
});
