// test: timeout=400
/** Fixtures of a session's environment, as an MCP client sees them: services that live, die, come back and end. */
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { eventually } from "../../contracts/runtime/context.ts";
import { signalProcess } from "../../../src/platform/process.ts";
import { root } from "../../support/pth.ts";
import { openSessionClient, type SessionClient } from "../../support/session_client.ts";

t.setTimeout(350_000);

/** Services start in the plugin's folder. */
const config = (runtime: string) => ({
  runtime,
  fixtures: {
    files: [{ path: "/srv/pth fixture/settings", content: "key=${env:COUNTER_KEY}" }].filter(() =>
      runtime !== "host"
    ),
    services: [{
      name: "store",
      command: 'exec node store.mjs {port} "$HOME/data.json"',
      env: { STORE_KEY: "${env:COUNTER_KEY}" },
      setup:
        `node -e 'const s = require("net").connect({port}, "127.0.0.1", () => s.write("*3\\r\\n$3\\r\\nSET\\r\\n$12\\r\\ncounter:figs\\r\\n$1\\r\\n5\\r\\n")); s.on("data", () => s.end())'`,
      url: "redis://{host}:{port}",
    }],
  },
  targetPlugin: { configValues: { REDIS_URL: "${PTH_SERVICE_STORE_URL}" } },
});

/** A session with the counter plugin; undefined, said as a skip, where this machine has no such environment. */
async function open(
  t: Test,
  runtime: string,
): Promise<SessionClient & { read(name: string): Promise<string> } | undefined> {
  const client = await openSessionClient(t, { COUNTER_KEY: "tulip-mania-1637" });
  const plugin = join(client.folder, "plugin");
  await cp(join(root, "test/fixtures/counter_plugin"), plugin, { recursive: true });
  const started = await client.succeed(t, "pth_start_session", { pluginPath: plugin });
  t.match(started.text, /It seems to need companion services.*Redis: reads REDIS_URL \(\.mcp\.json:6\)/s);
  const provisioned = await client.call("pth_provision_environment", config(runtime));
  if (/\[(RUNTIME_UNAVAILABLE|IMAGE_MISSING)\]/.test(provisioned.text)) {
    t.pass(`${runtime} is not ready here`, { skip: provisioned.text });
    await client.succeed(t, "pth_end_session");
    return undefined;
  }
  t.notOk(provisioned.isError, provisioned.text);
  t.notMatch(JSON.stringify(provisioned), /tulip-mania/);
  await client.succeed(t, "pth_load_plugin");
  const read = async (name: string) =>
    (await client.succeed(t, "pth_call_plugin_tool", { tool: "read", input: { name } })).text;
  return { ...client, read };
}

const exec = async (client: SessionClient, t: Test, script: string) =>
  (await client.succeed(t, "pth_exec_in_environment", { command: ["sh", "-c", script] })).text;

const pidScript = 'cat "$HOME/.pth/services/store/pid"';
const pidIn = (text: string): number => Number(/^\s*(\d+)\s*$/m.exec(text)?.[1]);

t.test("in a box: seeded, found, told when it dies, and back as it was after a rollback", async (t) => {
  const client = await open(t, "sandbox");
  if (client === undefined) return;
  t.match(await client.read("figs"), /5/);
  const settings = await exec(
    client,
    t,
    'cat "/srv/pth fixture/settings"; tr "\\0" "\\n" </proc/$(cat $HOME/.pth/services/store/pid)/environ | grep STORE_KEY',
  );
  t.match(settings, /key=\[REDACTED\]/);
  t.match(settings, /STORE_KEY=\[REDACTED\]/);
  const { snapshot } = (await client.succeed(t, "pth_snapshot_environment", { tag: "figs" })).data;
  await client.succeed(t, "pth_call_plugin_tool", { tool: "count", input: { name: "figs" } });
  t.match(await client.read("figs"), /6/);
  t.match((await client.succeed(t, "pth_check_environment_health")).text, /^(?!.*Service store)/s);

  await exec(
    client,
    t,
    'echo >>"$HOME/.pth/services/store/log" out of tulips; kill -9 $(cat "$HOME/.pth/services/store/pid")',
  );
  let health = "";
  const isTold = async () => {
    health = (await client.succeed(t, "pth_check_environment_health")).text;
    return /Service store/.test(health);
  };
  await eventually(isTold, 60_000);
  t.match(
    health,
    /Service store (was ended by SIGKILL|exited with 137); its last words: .*out of tulips/,
  );
  t.match(
    (await client.succeed(t, "pth_get_environment_logs", { service: "store" })).text,
    /store listens on \d+.*out of tulips/s,
  );
  const wrong = await client.call("pth_get_environment_logs", { service: "stor" });
  t.ok(wrong.isError);
  t.match(wrong.text, /none of that name.*Use one of: store/s);

  await client.succeed(t, "pth_rollback_environment", { snapshot });
  t.match(await client.read("figs"), /5/, "the data is the snapshot's, and was not set up again");
  t.match((await client.succeed(t, "pth_check_environment_health")).text, /^(?!.*Service store)/s);

  await client.succeed(t, "pth_reprovision_environment");
  t.match(await client.read("figs"), /5/, "set up anew in the new environment");
  await client.succeed(t, "pth_end_session");
});

t.test("on the bare host the service ends with the session, and its data goes", async (t) => {
  const client = await open(t, "host");
  if (client === undefined) return;
  t.match(await client.read("figs"), /5/);
  const pid = pidIn(await exec(client, t, pidScript));
  t.ok(signalProcess(pid, 0), `the service runs as ${pid}`);
  await client.succeed(t, "pth_end_session");
  t.notOk(
    await readFile(`/proc/${pid}/cmdline`, "utf8").then((line) => line.includes("store.mjs"), () => false),
  );
});
