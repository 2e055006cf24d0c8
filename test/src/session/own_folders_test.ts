/** What a session makes on the host is its user's alone; what others laid in its way is not believed. */
import { chmod, lstat, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import { clean } from "../../../src/session/clean.ts";
import { listSessions, openRegister } from "../../../src/registry/register.ts";
import {
  labelledFolders,
  makeLabelledFolder,
  stateFolder,
} from "../../../src/runtimes/shared/state_folder.ts";
import { openTestHistory } from "../../../src/testing/run/test_history.ts";
import { makeRepository, prepare, temporaryWorld } from "./helpers.ts";

/** `mode path` of what others could read or look into: folders, and files of PTH's own. */
async function openToOthers(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const info = await lstat(path);
    if (info.isSymbolicLink()) continue;
    if (info.mode & 0o077) found.push(`${(info.mode & 0o777).toString(8)} ${path}`);
    if (info.isDirectory()) found.push(...await openToOthers(path));
  }
  return found;
}

t.test("worktree, scratch copy, register, history and boxes are closed to others", async (t) => {
  const before = process.umask(0);
  t.teardown(() => process.umask(before));
  const { folder, worktrees, home } = await temporaryWorld(t);
  await makeRepository(folder, { "package.json": '{"name":"demo"}' });
  const worktree = await prepare(folder, { mode: "session" });
  const plain = join(folder, "../plain");
  await mkdir(plain);
  await writeFile(join(plain, "package.json"), '{"name":"plain"}');
  const copy = await prepare(plain, { mode: "session" });
  for (const source of [worktree, copy]) {
    t.equal((await lstat(source.worktree)).mode & 0o777, 0o700, source.worktree);
  }
  t.equal((await lstat(worktrees)).mode & 0o777, 0o700);
  const box = join(await stateFolder("boxes"), "e1");
  await makeLabelledFolder(box, { environmentId: "e1", sessionId: "s", ownerPid: process.pid, outside: [] });
  const history = await openTestHistory({ name: "demo", key: "demo" });
  await history.add({ at: 1_700_000_000_000, source: "x", outcomes: [] });
  t.strictSame(await openToOthers(join(home, "..", "home")), []);
});

t.test("a home that others can write to is refused with what to do, not passed over", async (t) => {
  const { home } = await temporaryWorld(t);
  await mkdir(home);
  await chmod(home, 0o777);
  await t.rejects(openRegister("one"), {
    code: "INVALID_CONFIG",
    message: /others may write to it \(mode 0777\)/,
    context: { next: [/ls -ld/, /chmod go-w/, /PTH_HOME/] },
  });
  await t.rejects(stateFolder("boxes"), { code: "INVALID_CONFIG" });
});

t.test("registers and notes that others could have written are neither read nor acted on", async (t) => {
  const { home, worktrees } = await temporaryWorld(t);
  const victim = join(worktrees, "..", "pth-worktree-victim");
  await mkdir(victim);
  for (const folder of ["sessions", "boxes/x"]) await mkdir(join(home, folder), { recursive: true });
  const lines = [
    { event: "opened", sessionId: "evil", at: "x", pid: 4194305, startTime: "1" },
    { event: "will_create", entry: { kind: "scratch", name: victim } },
  ];
  await writeFile(
    join(home, "sessions/evil.jsonl"),
    lines.map((line) => JSON.stringify(line) + "\n").join(""),
  );
  const note = { environmentId: "x", sessionId: "evil", ownerPid: 4194305, outside: [] };
  await writeFile(join(home, "boxes/x/environment.json"), JSON.stringify(note));
  await chmod(home, 0o777);
  t.strictSame((await listSessions()).filter(({ sessionId }) => sessionId === "evil"), []);
  t.strictSame(await labelledFolders("boxes"), []);
  await clean({ runtimes: [] });
  t.ok(await lstat(victim));
  await chmod(home, 0o700);
  t.equal((await labelledFolders("boxes")).length, 1, "they are where they would be looked for");
  await clean({ runtimes: [] });
  await t.rejects(lstat(victim));
});
