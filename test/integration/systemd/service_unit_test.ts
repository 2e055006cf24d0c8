// test: timeout=300
/** Companion services as units of the environment's own systemd. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { root } from "../../support/pth.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { needsSystemd } from "./systemd_subject.ts";

t.test("a unit is started, told when it ends, and runs again after a rollback", {
  ...needsSystemd,
  timeout: 250_000,
}, async (t) => {
  const client = await openSessionClient(t);
  const pluginPath = join(client.folder, "plugin");
  await cp(join(root, "test/fixtures/counter_plugin"), pluginPath, { recursive: true });
  await client.succeed(t, "pth_start_session", { pluginPath });
  const unit = "[Service]\nExecStart=/usr/bin/env node /work/plugin/store.mjs 6379\n";
  const fixtures = {
    files: [{ path: "/etc/systemd/system/store.service", content: unit }],
    setupScripts: ["systemctl daemon-reload"],
    services: [{ name: "store", unit: "store.service", port: 6379 }],
  };
  await client.succeed(t, "pth_provision_environment", { runtime: "systemd", tier: 2, fixtures });
  const { snapshot } = (await client.succeed(t, "pth_snapshot_environment", { tag: "up" })).data;
  const logs = await client.succeed(t, "pth_get_environment_logs", { service: "store" });
  t.match(logs.text, /store listens on 6379/);
  await client.succeed(t, "pth_exec_in_environment", { command: ["systemctl", "stop", "store"] });
  const health = await client.succeed(t, "pth_check_environment_health");
  t.match(health.text, /Service store is inactive/);
  await client.succeed(t, "pth_rollback_environment", { snapshot });
  const state = await client.succeed(t, "pth_exec_in_environment", {
    command: ["systemctl", "is-active", "store"],
  });
  t.match(state.text, /^active$/m);
  await client.succeed(t, "pth_end_session");
});

t.test("an environment without systemd says so", async (t) => {
  const client = await openSessionClient(t);
  const pluginPath = join(client.folder, "plugin");
  await cp(join(root, "test/fixtures/counter_plugin"), pluginPath, { recursive: true });
  await client.succeed(t, "pth_start_session", { pluginPath });
  const fixtures = { services: [{ name: "store", unit: "store.service" }] };
  const refused = await client.call("pth_provision_environment", { runtime: "host", fixtures });
  t.match(refused.text, /Cannot start service store: host has no systemd.*command in place of unit/s);
  await client.succeed(t, "pth_end_session");
});
