// test: timeout=300
/** A real database beside the plugin: Redis, installed and started in a box as the proposal for this plugin says. */
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { proposalYaml, proposeServices } from "../../../src/plugin/service_proposals/propose_services.ts";
import { pth, root } from "../../support/pth.ts";

t.test("what is proposed for a plugin brings its database up, and its tests pass against it", {
  timeout: 250_000,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "pth-redis-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const plugin = join(folder, "plugin");
  await cp(join(root, "test/fixtures/counter_plugin"), plugin, { recursive: true });
  const config = join(folder, "env.yaml");
  await writeFile(config, proposalYaml(await proposeServices(plugin)));
  const env = {
    PTH_HOME: join(folder, "home"),
    PTH_WORKTREE_DIR: join(folder, "worktrees"),
    PTH_RETRIES: "0",
  };
  const options = ["--env", "sandbox", "--config", config, "--tests", join(plugin, ".pth/tests")];
  const { code, stdout, stderr } = await pth(["run", plugin, ...options], { env });
  if (/Cannot (use|make) (a )?sandbox/.test(stderr)) return t.pass("no sandbox here", { skip: stderr });
  t.equal(code, 0, stdout + stderr);
  t.match(stdout + stderr, /setup script "apt-get .*redis-server.*service redis.*✓ counts up/s);
});
