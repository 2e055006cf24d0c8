import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import t from "tap";
import { clean } from "../../../../src/session/clean.ts";
import { findSession } from "../../../../src/session/resume/find_session.ts";
import { resumeSource } from "../../../../src/session/resume/resume_source.ts";
import { listSessions, openRegister } from "../../../../src/registry/register.ts";
import { removeSource } from "../../../../src/session/remove_source.ts";
import { rejection, temporaryWorld, textOf, userGit, writeFiles } from "../helpers.ts";
import { beginSession, fix, kill, resume } from "./dead_session.ts";
import { nextStepsFor } from "../../../../src/core/next_step.ts";

t.test("the branch gets a new worktree, and of the dead session nothing is left", async (t) => {
  const { folder, worktrees } = await temporaryWorld(t);
  const dead = await beginSession(folder);
  await kill(dead);
  const { found, source } = await resume(dead.branch);
  t.match(source, {
    branch: dead.branch,
    base: dead.base,
    name: "demo",
    version: "1.0.0",
    folder,
    resumed: true,
  });
  t.match(found, { state: { iteration: 2, trend: "improving" }, degraded: [], target: { target: folder } });
  t.equal((await textOf(source.worktree, "src/a.ts"))?.split("\n")[0], "1");
  t.strictSame(await readdir(worktrees), [basename(source.worktree)]);
  t.strictSame((await listSessions()).map(({ sessionId }) => sessionId), [source.sessionId]);
  t.match(source.notes, [/Took over a dead lock/]);
  await fix(source, "two", "2");
  t.match(await removeSource(source, { register: source.register }), {
    branchKept: true,
    commits: 2,
    leftBehind: [],
  });
  t.equal(userGit(folder, "status", "--porcelain"), "");
  t.equal(await textOf(folder, ".pth/active-session.lock"), undefined);
});

t.test("work that was in no commit becomes a patch that applies, also beside a locked index", async (t) => {
  const { folder } = await temporaryWorld(t);
  const dead = await beginSession(folder);
  await writeFiles(dead.worktree, {
    "src/a.ts": "half\n",
    "new file.txt": "new\n",
    "node_modules/x.js": "made\n",
  });
  await writeFile(join(dead.worktree, "picture.bin"), Uint8Array.from([0, 255, 10, 0, 13]));
  await writeFile(join(dead.gitDir!, "index.lock"), "");
  await rm(join(dead.worktree, ".git"));
  await writeFile(join(dead.worktree, ".git"), "gitdir: /somewhere/else\n");
  await kill(dead);
  const { source } = await resume(dead.branch, folder);
  const note = nextStepsFor("mcp", source.notes).find((each) => each.includes(".patch"))!;
  t.match(note, "not taken over: new file.txt, picture.bin, src/a.ts.");
  t.equal(await textOf(source.worktree, "new file.txt"), undefined);
  userGit(source.worktree, "apply", "--binary", /kept as (.+\.patch)/.exec(note)![1]!);
  t.equal(await textOf(source.worktree, "src/a.ts"), "half\n");
  t.strictSame([...await readFile(join(source.worktree, "picture.bin"))], [0, 255, 10, 0, 13]);
  const objects = userGit(folder, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)");
  const half = userGit(folder, "hash-object", join(source.worktree, "src/a.ts")).trim();
  t.notMatch(objects, half, "what was in no commit is in no repository");
});

t.test("tests go over, links among them do not, and nothing is written through a link", async (t) => {
  const { folder, home } = await temporaryWorld(t);
  const dead = await beginSession(folder);
  await writeFiles(dead.worktree, { ".pth/tests/mine.yaml": "name: mine\n" });
  await symlink("/etc/hostname", join(dead.worktree, ".pth/tests/host.yaml"));
  await kill(dead);
  const { source } = await resume(dead.branch, folder);
  t.equal(await textOf(source.worktree, ".pth/tests/mine.yaml"), "name: mine\n");
  t.equal(await textOf(source.worktree, ".pth/tests/host.yaml"), undefined);
  t.match(
    source.notes.join("\n"),
    /carried over: \.pth\/tests\/mine\.yaml\.[^]*not taken over: \.pth\/tests\/host\.yaml/,
  );

  await rm(join(source.worktree, ".pth/tests"), { recursive: true });
  await symlink(home, join(source.worktree, ".pth/tests"));
  userGit(source.worktree, "add", "--all");
  userGit(source.worktree, "commit", "--quiet", "--message=a link");
  await rm(join(source.worktree, ".pth/tests"));
  await writeFiles(source.worktree, { ".pth/tests/evil.yaml": "name: evil\n" });
  await kill(source);
  const again = await resume(source.branch, folder);
  t.equal(await textOf(home, "evil.yaml"), undefined);
  t.match(again.source.notes.join("\n"), /cannot be carried over[^]*evil\.yaml/);
});

t.test("a worktree whose folder is gone is no obstacle, nor is a lock that a killed git left", async (t) => {
  const { folder } = await temporaryWorld(t);
  const dead = await beginSession(folder);
  await rm(dead.worktree, { recursive: true });
  await writeFile(join(folder, `.git/refs/heads/${dead.branch}.lock`), "");
  await kill(dead);
  const { source } = await resume(dead.branch);
  t.ok(await fix(source, "two", "2"));
  t.equal(userGit(folder, "worktree", "list").trim().split("\n").length, 2);
});

t.test("a live session is left alone; by force both have the branch", async (t) => {
  const { folder } = await temporaryWorld(t);
  const live = await beginSession(folder);
  t.match(await rejection(resume(live.branch)), {
    code: "SESSION_LOCKED",
    context: { sessionId: live.sessionId },
  });
  t.ok(await textOf(live.worktree, "src/a.ts"));
  const { source } = await resume(live.branch, undefined, true);
  t.match(source.notes.join("\n"), /is alive on the same branch/);
  t.ok(await textOf(live.worktree, "src/a.ts"), "its folder stays");
  await fix(source, "two", "2");
  await removeSource(source, { register: source.register });
  t.ok(await textOf(live.worktree, "src/a.ts"));
});

t.test("what fails leaves the branch and the dead session's folder as they were", async (t) => {
  const { folder, worktrees } = await temporaryWorld(t);
  const dead = await beginSession(folder);
  await writeFiles(dead.worktree, { "src/a.ts": "half\n" });
  await kill(dead);
  const before = userGit(folder, "rev-parse", dead.branch);
  await rename(worktrees, `${worktrees}-away`);
  await writeFile(worktrees, "no folder");
  t.match(await rejection(resume(dead.branch)), { message: /worktree|ENOTDIR|exists|directory/i });
  await rm(worktrees);
  await rename(`${worktrees}-away`, worktrees);
  t.equal(userGit(folder, "rev-parse", dead.branch), before);
  t.equal(await textOf(dead.worktree, "src/a.ts"), "half\n");
  t.ok(nextStepsFor("mcp", (await resume(dead.branch)).source.notes).some((note) => note.includes(".patch")));
});

t.test("once the new worktree holds the tests, nothing takes them back", async (t) => {
  const { folder } = await temporaryWorld(t);
  const dead = await beginSession(folder);
  await writeFiles(dead.worktree, { ".pth/tests/mine.yaml": "name: mine\n" });
  await kill(dead);
  // The dead session's register cannot be gone on with.
  const found = await findSession({ branch: dead.branch });
  await rm(dead.register.path);
  await mkdir(dead.register.path);
  const register = await openRegister("again-stuck");
  const source = await resumeSource(found, { sessionId: "again-stuck", register });
  t.equal(await textOf(source.worktree, ".pth/tests/mine.yaml"), "name: mine\n");
  t.match(source.notes.join("\n"), /something is left[^]*pth clean/);
});

t.test("a resumed branch is kept however its session ends, and by pth clean", async (t) => {
  const { folder } = await temporaryWorld(t);
  const dead = await beginSession(folder);
  userGit(dead.worktree, "reset", "--quiet", "--hard", dead.base!);
  await kill(dead);
  const first = await resume(dead.branch, folder);
  t.match(first.found, { history: [], degraded: [/it has no commit yet/] });
  t.match(await removeSource(first.source, { register: first.source.register }), { branchKept: true });
  await first.source.register.close();
  const second = await resume(dead.branch, folder);
  await kill(second.source);
  t.match((await clean({ runtimes: [] })).kept, [{ kind: "branch", reason: /was there before/ }]);
  t.match(userGit(folder, "branch", "--list", "pth/*"), dead.branch);
});

t.test("a dead session's folder that cannot be looked into stays, and is named", async (t) => {
  const { folder } = await temporaryWorld(t);
  const dead = await beginSession(folder);
  await rm(join(dead.gitDir!, "commondir"));
  await kill(dead);
  const { source } = await resume(dead.branch, folder);
  t.ok(await textOf(dead.worktree, "src/a.ts"), "nothing was thrown away unseen");
  t.ok(await textOf(source.worktree, "src/a.ts"));
  t.match(source.notes.join("\n"), `stays where it is, ${dead.worktree}`);
});
