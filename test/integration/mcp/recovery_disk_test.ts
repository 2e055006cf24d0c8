// test: timeout=200
/** Disks that are full: the host's under PTH's folders, and an environment's own. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import { runCommand } from "../../../src/platform/process.ts";
import { makeRepository, userGit as git } from "../../src/session/helpers.ts";
import { breakingPlugin } from "./recovery_plugin.ts";
import { openSessionClient } from "../../support/session_client.ts";

t.setTimeout(190_000);
const command = ["sh", "-c", "exec node server.mjs"];
const { "package.json": _notBuilt, ...files } = breakingPlugin();

const place = await mkdtemp(join(tmpdir(), "pth-disk-"));
const disk = join(place, "disk");
await mkdir(disk);
const mounted = process.getuid?.() === 0
  ? await runCommand(["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", disk])
  : { code: 1, stderr: "only root may mount" };
t.teardown(async () => {
  if (mounted.code === 0) await runCommand(["umount", "-l", disk]);
  await rm(place, { recursive: true, force: true });
});

t.test("the disk of PTH's own folders", {
  skip: mounted.code === 0 ? false : `no small disk can be made: ${mounted.stderr}`,
  timeout: 120_000,
}, async (t) => {
  const { folder, call, succeed } = await openSessionClient(t, {
    PTH_HOME: join(disk, "home"),
    PTH_WORKTREE_DIR: join(disk, "worktrees"),
  });
  const fill = () => runCommand(["dd", "if=/dev/zero", `of=${join(disk, "filler")}`, "bs=64k"]);

  await t.test("a plugin for which there is no room is not started", async (t) => {
    const pluginPath = join(folder, "large");
    await makeRepository(pluginPath, { ...files, "data.bin": "x".repeat(40 * 1024 * 1024) });
    const { text, data } = await call("pth_start_session", { pluginPath, command });
    t.match(text, /its files take 41 MiB, and \d+ MiB are free/);
    t.match(text, /\[DISK_FULL\]/);
    t.match(text, new RegExp(`Disks of the host:?[^]*${disk}: \\d+% used`));
    t.match(data, { error: { code: "DISK_FULL" } });
    t.equal(git(pluginPath, "branch", "--list", "pth/*").trim(), "", "nothing stays");
  });

  await t.test("in the middle of a session", async (t) => {
    const pluginPath = join(folder, "plugin");
    await makeRepository(pluginPath, files);
    await succeed(t, "pth_start_session", { pluginPath, command });
    await succeed(t, "pth_provision_environment", { runtime: "sandbox" });
    await succeed(t, "pth_load_plugin");
    const note = (content: string) => ({
      category: "wrong-output",
      title: "say more",
      edits: [{ path: "README.md", content }],
    });
    await succeed(t, "pth_apply_fix", note("breaks\n"));
    const before = git(pluginPath, "for-each-ref", "refs/heads/pth").trim();
    await succeed(t, "pth_exec_in_environment", {
      command: ["sh", "-c", "head -c 1000000 /dev/urandom >/etc/data"],
    });
    await fill();

    const refused = await call("pth_apply_fix", note("much more\n".repeat(20_000)));
    t.match(refused.text, /\[DISK_FULL\]/);
    t.match(refused.text, new RegExp(`${disk}: 100% used .*, 0 MiB free`));
    t.match(refused.text, /What PTH takes up:[^]*MiB \S*.*\(worktree of session \w+, active\)/);
    t.match(refused.text, /Next:[^]*pth clean[^]*pth images prune/);
    const snapshot = await call("pth_snapshot_environment", { tag: "full" });
    t.match(snapshot.text, /\[DISK_FULL\]/);
    t.equal(
      git(pluginPath, "for-each-ref", "refs/heads/pth").trim(),
      before,
      "the branch is as it was",
    );

    await rm(join(disk, "filler"));
    await succeed(t, "pth_apply_fix", note("much more\n".repeat(20)));
    await fill();
    const { text } = await succeed(t, "pth_end_session");
    t.match(text, /Branch pth\/\S+: \d+ commits?, kept/);
    const log = git(pluginPath, "log", "--format=%s", "--all");
    t.equal(log.split("\n").filter((line) => line === "fix: say more").length, 2, "no commit is lost");
    await rm(join(disk, "filler"));
  });
});

t.test("the disk of an environment", { timeout: 60_000 }, async (t) => {
  const { folder, call, succeed } = await openSessionClient(t);
  const pluginPath = join(folder, "plugin");
  await makeRepository(pluginPath, files);
  await succeed(t, "pth_start_session", { pluginPath, command });
  await succeed(t, "pth_provision_environment", { runtime: "sandbox", resources: { diskGB: 0.03 } });
  const install = "head -c 100000000 /dev/zero >/var/tmp/cache";
  const { text, data } = await call("pth_load_plugin", { install });
  t.match(text, /\[DISK_FULL\]/);
  t.match(text, /Output:[^]*No space left on device/);
  t.match(text, /Disks inside the environment:[^]*100% used/);
  t.match(text, /resources\.diskGB/);
  t.match(data, { error: { failed: "INSTALL_FAILED" } });
  await succeed(t, "pth_exec_in_environment", { command: ["rm", "/var/tmp/cache"] });
  await succeed(t, "pth_load_plugin");
  await succeed(t, "pth_end_session");
});
