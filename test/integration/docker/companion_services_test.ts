// test: timeout=400
/** Companion services as containers of their own, next to environments of several runtimes. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { runCommand } from "../../../src/platform/process.ts";
import { root } from "../../support/pth.ts";
import { openSessionClient, type SessionClient } from "../../support/session_client.ts";
import { needsDocker } from "./docker_subject.ts";

t.setTimeout(350_000);

/** Any image with a server in it will do: the base image is there already. */
const files = {
  name: "files",
  image: "pth-base-debian12",
  command: ["python3", "-m", "http.server", "{port}"],
  cwd: "/etc",
  ready: { http: "/os-release" },
  env: { FILES_KEY: "${env:FILES_KEY}" },
};

const named = async (kind: "ps" | "network", session: string): Promise<string> => {
  const list = kind === "ps" ? ["ps", "-a"] : ["network", "ls"];
  return (await runCommand(["docker", ...list, "-q", "--filter", `label=pth.session=${session}`])).stdout;
};

async function open(t: Test): Promise<SessionClient & { sessionId: string }> {
  const client = await openSessionClient(t, { FILES_KEY: "tulip-mania-1637" });
  const plugin = join(client.folder, "plugin");
  await cp(join(root, "test/fixtures/counter_plugin"), plugin, { recursive: true });
  const started = await client.succeed(t, "pth_start_session", { pluginPath: plugin });
  const { sessionId } = started.data["session"] as { sessionId: string };
  return { ...client, sessionId };
}

const exec = async (client: SessionClient, t: Test, script: string) =>
  (await client.succeed(t, "pth_exec_in_environment", { command: ["sh", "-c", script] })).text;

const targetPlugin = { configValues: { FILES: "${PTH_SERVICE_FILES_URL}" } };

t.test(
  "beside a container it is known by its name, also after a rollback, and goes with it",
  needsDocker,
  async (t) => {
    const client = await open(t);
    const fixtures = {
      services: [{ ...files, setup: "curl -fs $PTH_SERVICE_FILES_URL/os-release >/found" }],
    };
    await client.succeed(t, "pth_provision_environment", { runtime: "docker", fixtures, targetPlugin });
    t.match(await exec(client, t, "cat /found"), /Debian/);
    const { snapshot } = (await client.succeed(t, "pth_snapshot_environment", { tag: "before" })).data;
    const loaded = await client.succeed(t, "pth_load_plugin");
    const port = /PTH_SERVICE_FILES_PORT\W+(\d+)/.exec(JSON.stringify(loaded.data))?.[1] ??
      /PTH_SERVICE_FILES_PORT\W+(\d+)/.exec((await client.succeed(t, "pth_get_plugin_config")).text)?.[1];
    t.ok(port, "the plugin is told where it is");
    await client.succeed(t, "pth_rollback_environment", { snapshot });
    t.match(await exec(client, t, `curl -fs http://files:${port}/os-release`), /Debian/);
    t.match(
      (await client.succeed(t, "pth_get_environment_logs", { service: "files" })).text,
      /GET \/os-release/,
    );

    await runCommand(["docker", "kill", `pth-${client.sessionId}-e1-service-files`]);
    const health = await client.succeed(t, "pth_check_environment_health");
    t.match(health.text, /Service files exited with 137/);
    await client.succeed(t, "pth_end_session");
    t.equal(await named("ps", client.sessionId), "");
    t.equal(await named("network", client.sessionId), "");
  },
);

t.test("beside a box or the bare host it is reached on the loopback", needsDocker, async (t) => {
  for (const runtime of ["sandbox", "host"]) {
    const client = await open(t);
    const setup = "echo $PTH_SERVICE_FILES_URL && curl -fs $PTH_SERVICE_FILES_URL/os-release >~/found";
    const fixtures = { services: [{ ...files, setup }] };
    const provisioned = await client.call("pth_provision_environment", { runtime, fixtures });
    if (/\[RUNTIME_UNAVAILABLE\]/.test(provisioned.text)) {
      t.pass(`${runtime} is not ready here`, { skip: provisioned.text });
      continue;
    }
    t.notOk(provisioned.isError, provisioned.text);
    t.match(await exec(client, t, "cat ~/found"), /PRETTY_NAME/);
    await client.succeed(t, "pth_destroy_environment");
    t.equal(
      await named("ps", client.sessionId),
      "",
      "it goes with the environment, not only with the session",
    );
    await client.succeed(t, "pth_end_session");
  }
});

t.test("an image that cannot be had, and one that ends, leave nothing", needsDocker, async (t) => {
  const client = await open(t);
  const attempt = (service: Record<string, unknown>) =>
    client.call("pth_provision_environment", {
      runtime: "docker",
      fixtures: { services: [{ ...files, ...service }] },
      retries: 0,
    });
  const missing = await attempt({ image: "localhost:9/no-such-image:1" });
  t.match(missing.text, /image localhost:9\/no-such-image:1 is not available/);
  t.match(missing.text, /docker load.*command in place of image/s);
  const ends = await attempt({ command: "echo $FILES_KEY no such table; exit 4", ready: "sleep 5; false" });
  t.match(ends.text, /Cannot start service files: it exited with 4 before it was ready/);
  t.match(ends.text, /\[REDACTED\] no such table/);
  t.notMatch(JSON.stringify(ends), /tulip-mania/);
  t.equal(await named("ps", client.sessionId), "");
  t.equal(await named("network", client.sessionId), "");
  await client.succeed(t, "pth_end_session");
});
