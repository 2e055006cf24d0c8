// test: timeout=300
/** Environments that die under a session, and how it goes on. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { runCommand, signalProcess } from "../../../src/platform/process.ts";
import { taggedPids } from "../../../src/platform/proc.ts";
import { breakingPlugin } from "./recovery_plugin.ts";
import { openSessionClient } from "../../support/session_client.ts";

t.setTimeout(280_000);
const { home, call, succeed, begin } = await openSessionClient(t);

/** What somebody else does to the environment of a session. */
const killers: Record<string, (environmentId: string) => Promise<void>> = {
  async sandbox(environmentId) {
    const pids = await taggedPids("PTH_ENVIRONMENT", environmentId);
    if (pids.length === 0) throw new Error(`no process of ${environmentId}`);
    for (const pid of pids) signalProcess(pid, "SIGKILL");
  },
  async docker(environmentId) {
    const { code, stderr } = await runCommand(["docker", "kill", `pth-${environmentId}`]);
    if (code !== 0) throw new Error(stderr);
  },
};

const idOf = async (t: Test): Promise<string> => {
  const { data } = await succeed(t, "pth_inspect_environment");
  return (data.environment as { environmentId: string }).environmentId;
};

for (const [runtime, kill] of Object.entries(killers)) {
  t.test(`a session goes on after its ${runtime} environment was killed`, async (t) => {
    if (!await begin(t, breakingPlugin(), runtime)) return;
    await succeed(t, "pth_check_environment_health");
    await kill(await idOf(t));

    await t.test("whoever asks is told how it ended, and what to do", async (t) => {
      const { text, data } = await call("pth_exec_in_environment", { command: ["true"] });
      t.match(text, /^Cannot use environment .*(its container ended with 137|its sandbox has ended)/);
      t.match(text, /\[ENVIRONMENT_LOST\]/);
      t.match(text, /Exit code: /);
      t.match(text, /Resources before: 20.*disk \d+ % used, memory/);
      t.match(text, /Snapshots: none/);
      t.match(text, /Next:\n- Use a new environment: pth_reprovision_environment\(\{\}\)/);
      t.match(data, { error: { code: "ENVIRONMENT_LOST" } });
      t.match((await call("pth_call_plugin_tool", { tool: "hello" })).text, /\[ENVIRONMENT_LOST\]/);
    });

    await t.test("tests that fail with it are not taken for the plugin's failures", async (t) => {
      const yaml = "name: says hello\ntool: hello\nexpect: { output_equals: hello }\n";
      await succeed(t, "pth_create_test", { yaml });
      for (const tool of ["pth_run_test_suite", "pth_run_iteration"]) {
        const { text } = await call(tool);
        t.match(text, /1 test failed meanwhile says nothing of the plugin \[ENVIRONMENT_LOST\]/);
      }
      const { data } = await succeed(t, "pth_get_test_results");
      t.match(data, { summary: { failed: 0 } });
    });

    await t.test("two calls bring it back", async (t) => {
      await succeed(t, "pth_reprovision_environment");
      await succeed(t, "pth_load_plugin");
      t.match((await succeed(t, "pth_call_plugin_tool", { tool: "hello" })).text, /hello/);
    });

    await t.test("it dies again: the snapshot that was taken brings it back with what it held", async (t) => {
      await succeed(t, "pth_exec_in_environment", { command: ["sh", "-c", "echo kept > /etc/pth-marker"] });
      const { data } = await succeed(t, "pth_snapshot_environment", { tag: "before" });
      await kill(await idOf(t));
      const { text } = await call("pth_exec_in_environment", { command: ["true"] });
      t.match(
        text,
        `Next:\n- Go back to a snapshot: pth_rollback_environment({ snapshot: "${data.snapshot}" })`,
      );
      await succeed(t, "pth_rollback_environment", { snapshot: data.snapshot });
      const read = await succeed(t, "pth_exec_in_environment", { command: ["cat", "/etc/pth-marker"] });
      t.match(read.text, /kept/);
      await succeed(t, "pth_load_plugin");
      await succeed(t, "pth_call_plugin_tool", { tool: "hello" });
    });

    await t.test("a snapshot that somebody removed is told with those that are known", async (t) => {
      const { data } = await succeed(t, "pth_snapshot_environment", { tag: "lost" });
      const snapshot = String(data.snapshot);
      await removeSnapshot(runtime, snapshot, await idOf(t));
      const { text } = await call("pth_rollback_environment", { snapshot });
      t.match(text, /\[(NO_SUCH_SNAPSHOT|ROLLBACK_FAILED)\]/);
      t.match(text, new RegExp(`Snapshots:[^]*${snapshot}, taken 20`));
      t.match(text, /Disks of the host:/);
      t.match(text, /Next:[^]*pth_reprovision_environment[^]*snapshot: false/);
      await succeed(t, "pth_call_plugin_tool", { tool: "hello" });
    });

    await t.test("with a dead environment fixes are committed, and the session ends as ever", async (t) => {
      await kill(await idOf(t));
      const edits = [{ path: "README.md", content: "breaks\n" }];
      await succeed(t, "pth_apply_fix", {
        category: "wrong-output",
        title: "say more",
        edits,
      });
      const { text } = await succeed(t, "pth_end_session");
      t.match(text, /Branch pth\/\S+: \d+ commits?, kept/);
      t.notMatch(text, /Could not be removed/);
    });
  });
}

async function removeSnapshot(runtime: string, snapshot: string, environmentId: string): Promise<void> {
  if (runtime === "docker") await removeImage(snapshot, environmentId);
  else await rm(join(home, "boxes", environmentId, "snapshots", snapshot), { recursive: true });
}

/** And the container that stands ready for it, which would bring its state back all the same. */
async function removeImage(snapshot: string, environmentId: string): Promise<void> {
  // The image first: from then on no other container is made of it.
  const { code, stderr } = await runCommand(["docker", "rmi", "--force", snapshot]);
  if (code !== 0) throw new Error(stderr);
  const name = `name=pth-${environmentId}-ready-`;
  const { stdout } = await runCommand(["docker", "ps", "--all", "--quiet", "--filter", name]);
  for (const id of stdout.split("\n").filter(Boolean)) await runCommand(["docker", "rm", "--force", id]);
}
