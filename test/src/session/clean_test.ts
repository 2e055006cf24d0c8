import { chmod, mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import t from "tap";
import { clean } from "../../../src/session/clean.ts";
import { stateDir } from "../../../src/platform/host.ts";
import { lockPath } from "../../../src/registry/lock.ts";
import { makeRunFolder } from "../../../src/project_tests/own_test_folder.ts";
import { listSessions } from "../../../src/registry/register.ts";
import { defineRuntime, type Leftover, type RuntimeDefinition } from "../../../src/runtimes/runtime.ts";
import { makeRepository, prepare, temporaryWorld, textOf, userGit, writeFiles } from "./helpers.ts";
import { thisProcess } from "../../../src/platform/proc.ts";
import { openTreeStore, treeFolder } from "../../../src/plugin/installed_trees/tree_store.ts";

function fakeRuntime(leftovers: () => Promise<Leftover[]>): RuntimeDefinition {
  const probe = () => Promise.resolve({ ready: true, reason: "always" });
  const create = () => {
    throw new Error("not used");
  };
  return defineRuntime({
    name: "fake",
    summary: "",
    needs: "",
    tiers: [1],
    rank: 1,
    networks: [],
    probe,
    create,
    leftovers,
  });
}

/** Makes a register look like that of a process that is gone. */
async function kill(path: string): Promise<void> {
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace(/"pid":\d+,"startTime":"\d+"/, '"pid":4194305,"startTime":"1"'));
}

async function deadSession(folder: string, sessionId: string) {
  const source = await prepare(folder, { sessionId });
  await kill(source.register.path);
  return source;
}

t.test("what a killed session left is removed, and its register forgotten", async (t) => {
  const { folder, worktrees } = await temporaryWorld(t);
  await makeRepository(folder, { "a.txt": "a" });
  const source = await deadSession(folder, "dead1");
  const preview = await clean({ runtimes: [], dryRun: true });
  t.strictSame(preview.removed.map(({ kind }) => kind), ["worktree", "branch", "lock"]);
  t.ok(await textOf(source.worktree, "a.txt"), "a dry run removes nothing");
  const report = await clean({ runtimes: [] });
  t.match(report, { failed: [], kept: [], liveSessions: [] });
  t.match(report.removed, [{ name: source.worktree }, { name: source.branch }, {
    name: folder,
    sessionId: "dead1",
  }]);
  t.strictSame(await readdir(worktrees), []);
  t.equal(userGit(folder, "branch", "--list", "pth/*"), "");
  t.equal(userGit(folder, "worktree", "list").trim().split("\n").length, 1);
  t.equal(userGit(folder, "status", "--porcelain"), "");
  t.strictSame(await listSessions(), []);
  t.strictSame((await clean({ runtimes: [] })).removed, []);
});

t.test("what a git that was killed leaves of a worktree's entry goes, other entries stay", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, { "a.txt": "a" });
  const entries = join(folder, ".git/worktrees");
  for (const left of ["", "half/", "half/locked"]) {
    const { worktree } = await deadSession(folder, "dead1");
    await rm(worktree, { recursive: true });
    await rm(entries, { recursive: true });
    if (left === "") await mkdir(entries);
    else await mkdir(join(entries, basename(worktree)), { recursive: true });
    if (left.endsWith("locked")) await writeFile(join(entries, basename(worktree), "locked"), "initializing");
    const report = await clean({ runtimes: [] });
    t.match(report, { failed: [], removed: [{ kind: "worktree", name: worktree }] }, left);
    t.notOk((await readdir(join(folder, ".git"))).includes("worktrees"), left);
  }
  userGit(folder, "worktree", "add", "--quiet", join(folder, "../own"));
  const { worktree } = await deadSession(folder, "dead1");
  await rm(worktree, { recursive: true });
  await rm(join(entries, basename(worktree)), { recursive: true });
  await mkdir(join(entries, basename(worktree)));
  await clean({ runtimes: [] });
  t.strictSame(await readdir(entries), ["own"]);
});

t.test("a register that a kill left without its first line goes, one that is being begun stays", async (t) => {
  await temporaryWorld(t);
  const folder = join(stateDir(), "sessions");
  const { pid, startTime } = await thisProcess();
  const begun = `two.${pid}.${startTime}.draft`;
  await mkdir(folder, { recursive: true });
  for (const name of ["one.4194305.1.draft", begun]) await writeFile(join(folder, name), "");
  t.strictSame((await clean({ runtimes: [], dryRun: true })).removed, []);
  t.equal((await readdir(folder)).length, 2, "a dry run removes nothing");
  await clean({ runtimes: [] });
  t.strictSame(await readdir(folder), [begun]);
});

t.test("what a kill left in the midst of taking a lock goes, what others have there stays", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, { "a.txt": "a" });
  await deadSession(folder, "dead1");
  const lock = lockPath(folder);
  await rm(lock);
  const theirs = `${lock}.other1`;
  for (const path of [`${lock}.dead1`, `${lock}.takeover.dead1`, theirs]) await writeFile(path, "{");
  await writeFile(`${lock}.takeover`, JSON.stringify({ ...await thisProcess(), sessionId: "dead1" }));
  const report = await clean({ runtimes: [] });
  t.match(report.removed.map(({ kind }) => kind), ["worktree", "branch", "lock"]);
  t.strictSame(await readdir(dirname(lock)), [basename(theirs)]);

  await rm(theirs);
  await deadSession(folder, "dead2");
  await rm(lock);
  await clean({ runtimes: [] });
  t.notOk((await readdir(folder)).includes(".pth"), "the folder that was made for it goes, too");
});

t.test("a live session is left alone", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, { "a.txt": "a" });
  const source = await prepare(folder, { sessionId: "live1" });
  let removed = false;
  const leftover: Leftover = {
    kind: "box",
    name: "b1",
    sessionId: "live1",
    remove: () => Promise.resolve(void (removed = true)),
  };
  const report = await clean({ runtimes: [fakeRuntime(() => Promise.resolve([leftover]))], all: true });
  t.match(report, { removed: [], failed: [], kept: [], liveSessions: ["live1"] });
  t.equal(removed, false);
  t.ok(await textOf(source.worktree, "a.txt"));
});

t.test("a killed session's scratch folder goes, too", async (t) => {
  const { folder } = await temporaryWorld(t);
  await writeFiles(folder, { "server.py": "" });
  const source = await deadSession(folder, "dead2");
  t.strictSame((await clean({ runtimes: [] })).removed.map(({ kind }) => kind), ["scratch", "lock"]);
  t.equal(await textOf(source.worktree, "server.py"), undefined);
});

t.test("a branch with commits is kept, and told once", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, { "a.txt": "a" });
  const source = await deadSession(folder, "dead3");
  await writeFile(join(source.worktree, "a.txt"), "fixed");
  userGit(source.worktree, "commit", "--quiet", "--all", "--message=Fix");
  t.match((await clean({ runtimes: [] })).kept, [{ kind: "branch", reason: /1 commit / }]);
  t.match(userGit(folder, "branch", "--list", "pth/*"), source.branch!);
  t.strictSame((await clean({ runtimes: [] })).kept, []);
});

t.test("a session that was kept on purpose goes only when told", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, { "a.txt": "a" });
  const source = await deadSession(folder, "dead4");
  await source.register.close({ kept: true });
  t.match(await clean({ runtimes: [] }), { removed: [], kept: [{ reason: /on purpose/ }, {}, {}] });
  t.equal((await clean({ runtimes: [], all: true })).removed.length, 3);
  t.strictSame(await listSessions(), []);
});

t.test("things of sessions that no register knows go only when told", async (t) => {
  const { worktrees } = await temporaryWorld(t);
  await mkdir(join(worktrees, "pth-worktree-stranger"), { recursive: true });
  await mkdir(join(worktrees, "somebody-else"));
  t.match((await clean({ runtimes: [] })).kept, [{ sessionId: "stranger", reason: /--all/ }]);
  await clean({ runtimes: [], all: true });
  t.strictSame(await readdir(worktrees), ["somebody-else"]);
});

t.test("what a living PTH made is left alone even with --all, whichever register knows it", async (t) => {
  await temporaryWorld(t);
  const removed: string[] = [];
  const thing = (name: string, ownerLives: boolean): Leftover => ({
    kind: "container",
    name,
    sessionId: name,
    ownerLives,
    remove: () => Promise.resolve(void removed.push(name)),
  });
  const runtimes = [fakeRuntime(() => Promise.resolve([thing("living", true), thing("dead", false)]))];
  await clean({ runtimes, all: true });
  t.strictSame(removed, ["dead"]);
});

t.test("what nobody can use any more goes, whatever the registers say", async (t) => {
  await temporaryWorld(t);
  const removed: string[] = [];
  const thing = (name: string, disposable: boolean): Leftover => ({
    kind: "box",
    name,
    sessionId: name,
    disposable,
    remove: () => Promise.resolve(void removed.push(name)),
  });
  const runtimes = [fakeRuntime(() => Promise.resolve([thing("try", true), thing("other", false)]))];
  await clean({ runtimes });
  t.strictSame(removed, ["try"]);
});

t.test("what runs is ended before its folders go; a failure is told and tried again", async (t) => {
  const { folder } = await temporaryWorld(t);
  await writeFiles(folder, { "server.py": "" });
  const source = await deadSession(folder, "dead5");
  const order: string[] = [];
  let broken = true;
  const thing = (kind: Leftover["kind"]): Leftover => ({
    kind,
    name: kind,
    sessionId: "dead5",
    remove: async () => {
      if (kind === "image" && broken) throw new Error("image is in use");
      order.push(`${kind} ${await textOf(source.worktree, "server.py") === undefined ? "late" : "early"}`);
    },
  });
  const runtime = fakeRuntime(() => Promise.resolve([thing("image"), thing("container"), thing("process")]));
  t.match((await clean({ runtimes: [runtime] })).failed, [{ kind: "image", reason: "image is in use" }]);
  t.strictSame(order, ["process early", "container early"]);
  t.equal((await listSessions()).length, 1, "the register stays for the next time");
  broken = false;
  t.strictSame((await clean({ runtimes: [runtime] })).failed, []);
  t.strictSame(await listSessions(), []);
});

t.test("while an engine is down, sessions with environments in it are remembered", async (t) => {
  const { folder } = await temporaryWorld(t);
  await writeFiles(folder, { "server.py": "" });
  const source = await prepare(folder, { sessionId: "dead6" });
  await source.register.willCreate({ kind: "environment", name: "e1", runtime: "fake" });
  await kill(source.register.path);
  const down = fakeRuntime(() => Promise.reject(new Error("engine is down")));
  t.match((await clean({ runtimes: [down] })).unreachable, [{ runtime: "fake", reason: "engine is down" }]);
  t.equal((await listSessions()).length, 1);
  await clean({ runtimes: [fakeRuntime(() => Promise.resolve([]))] });
  t.strictSame(await listSessions(), []);
});

t.test("a worktree whose folder is gone, and one whose repository is gone, are no obstacle", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, { "a.txt": "a" });
  const first = await deadSession(folder, "dead7");
  await rm(first.worktree, { recursive: true });
  t.strictSame((await clean({ runtimes: [] })).failed, []);
  t.equal(userGit(folder, "worktree", "list").trim().split("\n").length, 1);
  const second = await deadSession(folder, "dead8");
  await rm(folder, { recursive: true });
  t.strictSame((await clean({ runtimes: [] })).failed, []);
  t.equal(await textOf(second.worktree, "a.txt"), undefined);
  t.strictSame(await listSessions(), []);
});

t.test("a register that names a folder not ours removes nothing", async (t) => {
  const { folder } = await temporaryWorld(t);
  await writeFiles(folder, { "precious.txt": "p" });
  const source = await prepare({ command: ["x"] }, { sessionId: "dead9" });
  await source.register.willCreate({ kind: "scratch", name: folder });
  await kill(source.register.path);
  t.match((await clean({ runtimes: [] })).failed, [{ name: folder, reason: /name is not that of/ }]);
  t.equal(await textOf(folder, "precious.txt"), "p");
});

t.test("what a killed process announced to viewers goes; what a living one announces stays", async (t) => {
  await temporaryWorld(t);
  const folder = join(stateDir(), "live");
  await mkdir(folder, { recursive: true });
  const announcement = (id: string, owner: unknown) =>
    JSON.stringify({ id, owner, startedAt: "2026", command: "run", socket: join(folder, `${id}.sock`) });
  await writeFile(join(folder, "deaddead.json"), announcement("deaddead", { pid: 4194305, startTime: "1" }));
  await writeFile(join(folder, "deaddead.jsonl"), "{}");
  await writeFile(join(folder, "11111111.json"), announcement("11111111", await thisProcess()));
  const preview = await clean({ runtimes: [], dryRun: true });
  t.match(preview.removed, [
    { kind: "announcement", name: join(folder, "deaddead.json") },
    { kind: "announcement", name: join(folder, "deaddead.jsonl") },
  ]);
  t.equal((await readdir(folder)).length, 3, "a dry run removes nothing");
  t.equal((await clean({ runtimes: [] })).removed.length, 2);
  t.strictSame(await readdir(folder), ["11111111.json"]);
});

t.test("folders of test runs whose process was killed go, those of living ones stay", async (t) => {
  await temporaryWorld(t);
  const living = await makeRunFolder();
  const runs = dirname(living);
  const { pid } = await thisProcess();
  // The number of a dead process may be another one's by now.
  const dead = ["4194305-1-a", `${pid}-1-b`].sort().map((name) => join(runs, name));
  for (const path of dead) await mkdir(path);
  const preview = await clean({ runtimes: [], dryRun: true });
  t.same(preview.removed.map(({ kind, name }) => `${kind} ${name}`), dead.map((path) => `test run ${path}`));
  t.equal((await readdir(runs)).length, 3, "a dry run removes nothing");
  t.match(await clean({ runtimes: [] }), { failed: [] });
  t.same(await readdir(runs), [basename(living)]);
  await chmod(runs, 0o777);
  await mkdir(dead[0]!);
  t.same((await clean({ runtimes: [] })).removed, [], "a folder that others may write to is not PTH's own");
});

t.test("patches saved from dead sessions go when nobody came for them; recent ones never", async (t) => {
  await temporaryWorld(t);
  const folder = join(stateDir(), "salvaged");
  await mkdir(join(folder, "killed.objects"), { recursive: true });
  const make = async (name: string, days: number) => {
    const path = join(folder, name);
    if (name.endsWith(".patch")) await writeFile(path, "diff");
    const then = new Date(Date.now() - days * 24 * 60 * 60 * 1000);
    await utimes(path, then, then);
    return path;
  };
  const old = await make("old.patch", 31);
  const objects = await make("killed.objects", 2);
  for (let n = 0; n < 50; n++) await make(`week-${n}.patch`, 8 + n / 100);
  for (let n = 0; n < 10; n++) await make(`new-${n}.patch`, n / 10);
  const preview = await clean({ runtimes: [], dryRun: true });
  t.equal(preview.removed.length, 12, "all but the 50 newest of those that are not recent");
  t.ok(preview.removed.every(({ kind }) => kind === "patch"));
  t.equal((await readdir(folder)).length, 62);
  const { removed } = await clean({ runtimes: [], all: true });
  const names = removed.map(({ name }) => name);
  t.ok(names.includes(old) && names.includes(objects) && names.includes(join(folder, "week-49.patch")));
  const left = await readdir(folder);
  t.equal(left.length, 50);
  t.equal(left.filter((name) => name.startsWith("new-")).length, 10);
  for (let n = 0; n < 70; n++) await make(`many-${n}.patch`, 1);
  await clean({ runtimes: [], all: true });
  const many = (await readdir(folder)).filter((name) => name.startsWith("many-"));
  t.equal(many.length, 70, "however many there are");
});

t.test("what is kept of installs goes only where it is asked for, and never what a living process is keeping", async (t) => {
  await temporaryWorld(t);
  const store = openTreeStore();
  const key = "0".repeat(32);
  await store.keep({ key, name: "p@1.0.0", families: [] }, (path) => writeFile(path, "tree"));
  const { pid, startTime } = await thisProcess();
  const making = `.${pid}.${startTime}.${crypto.randomUUID()}`;
  await mkdir(join(treeFolder(), making));
  t.same((await clean({ runtimes: [] })).removed, []);
  const preview = await clean({ runtimes: [], cache: true, dryRun: true });
  t.match(preview.removed, [{ kind: "install", name: join(treeFolder(), key) }]);
  t.ok(await store.find(key));
  t.equal((await clean({ runtimes: [], cache: true })).removed.length, 1);
  t.same(await readdir(treeFolder()), [making]);
});
