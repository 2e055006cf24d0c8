import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { makeRepository as makeOwn } from "../../../../src/git/make_repository.ts";
import { removeSource } from "../../../../src/session/remove_source.ts";
import { findSession } from "../../../../src/session/resume/find_session.ts";
import { prepare, rejection, temporaryWorld, userGit, writeFiles } from "../helpers.ts";
import { beginSession, fix, kill, resume, save } from "./dead_session.ts";

const base = (found: { base: string }) => found.base;

t.test("where the branch began is known by the state, the register, the reflog, or the checkout", async (t) => {
  const { folder } = await temporaryWorld(t);
  const dead = await beginSession(folder, { saved: false });
  await kill(dead);
  t.equal(base(await findSession({ branch: dead.branch })), dead.base, "register");
  await removeSource(dead, { register: dead.register });
  await dead.register.close();
  t.equal(base(await findSession({ branch: dead.branch, pluginPath: folder })), dead.base, "reflog");

  const clone = `${folder} clone`;
  userGit(folder, "clone", "--quiet", folder, clone);
  const remote = await rejection(findSession({ branch: dead.branch, pluginPath: clone }));
  t.match(remote.context, {
    next: [`Take it from the remote first: git branch ${dead.branch} origin/${dead.branch}`],
  });
  userGit(clone, "branch", "--quiet", dead.branch, `origin/${dead.branch}`);
  const guessed = await findSession({ branch: dead.branch, pluginPath: clone });
  t.match(guessed, { base: dead.base, history: [{ type: "fix" }] });
  t.match(guessed.degraded, [/state of the session is lost/, /is taken for it/]);

  const { source } = await resume(dead.branch, folder);
  await save(source);
  userGit(clone, "fetch", "--quiet", "origin", `+${dead.branch}:${dead.branch}`);
  userGit(clone, "merge", "--quiet", "--ff-only", dead.branch);
  const merged = await findSession({ branch: dead.branch, pluginPath: clone });
  t.match(merged, { base: dead.base, history: [{ type: "fix" }], degraded: [] }, "state");
});

t.test("the state of a session that was merged is not that of the next one", async (t) => {
  const { folder } = await temporaryWorld(t);
  const first = await beginSession(folder);
  await kill(first);
  userGit(folder, "merge", "--quiet", first.branch);
  const second = await prepare(folder, { mode: "session" });
  await fix(second, "two", "2");
  await kill(second as typeof first);
  const found = await findSession({ branch: second.branch! });
  t.match(found, { base: second.base, state: { iteration: 2, tests: {} }, history: [{ type: "fix" }] });
  t.match(found.degraded, [new RegExp(`that of another session, ${first.branch}`)]);
});

t.test("the plugin is found in its folder of the repository, wherever it is called from", async (t) => {
  const { folder } = await temporaryWorld(t);
  const dead = await beginSession(folder, { within: "packages/demo" });
  await kill(dead);
  t.match(await findSession({ branch: dead.branch }), {
    subfolder: "packages/demo",
    folder: join(folder, "packages/demo"),
    state: { trend: "improving" },
  });
  await rename(join(folder, "packages/demo"), join(folder, "packages/moved"));
  userGit(folder, "add", "--all", "packages");
  userGit(folder, "commit", "--quiet", "--message=move");
  const moved = await findSession({ branch: dead.branch, pluginPath: join(folder, "packages/moved") });
  t.match(moved, { subfolder: "packages/demo", folder: join(folder, "packages/moved") });
  await removeSource(dead, { register: dead.register });
  await dead.register.close();
  t.match(await findSession({ branch: dead.branch, pluginPath: folder }), {
    subfolder: "packages/demo",
    folder,
  });
});

t.test("the folder above the plugin will do, another plugin's will not", async (t) => {
  const { folder } = await temporaryWorld(t);
  await writeFiles(folder, { "packages/other/a.txt": "a" });
  const dead = await beginSession(folder, { within: "packages/demo" });
  await kill(dead);
  t.match(await findSession({ branch: dead.branch, pluginPath: join(folder, "packages") }), {
    subfolder: "packages/demo",
    folder: join(folder, "packages/demo"),
  });
  const other = findSession({ branch: dead.branch, pluginPath: join(folder, "packages/other") });
  t.match(await rejection(other), { code: "INVALID_INPUT", message: /is on the plugin in packages\/demo/ });
});

t.test("a folder that the branch does not have, and nothing tells of another, is refused", async (t) => {
  const { folder } = await temporaryWorld(t);
  const dead = await beginSession(folder, { saved: false });
  await kill(dead);
  await writeFiles(folder, { "elsewhere/a.txt": "a" });
  userGit(folder, "add", "--all", "elsewhere");
  userGit(folder, "commit", "--quiet", "--message=more");
  await removeSource(dead, { register: dead.register });
  await dead.register.close();
  const refused = await rejection(
    findSession({ branch: dead.branch, pluginPath: join(folder, "elsewhere") }),
  );
  t.match(refused, { code: "INVALID_INPUT", message: /it has no folder elsewhere/ });
});

t.test("a branch in two repositories is resumed in the one that is named", async (t) => {
  const { folder } = await temporaryWorld(t);
  const dead = await beginSession(folder);
  await kill(dead);
  const clone = `${folder} clone`;
  userGit(folder, "clone", "--quiet", "--mirror", folder, clone);
  const twin = await prepare(folder, { mode: "session" });
  await twin.register.willCreate({ kind: "branch", name: dead.branch, repository: clone, base: dead.base });
  t.match(await rejection(findSession({ branch: dead.branch })), { message: /several repositories/ });
  t.match(await findSession({ branch: dead.branch, pluginPath: folder }), { folder });
});

t.test("names that git would take for something else are no branches", async (t) => {
  const { folder } = await temporaryWorld(t);
  const dead = await beginSession(folder);
  await kill(dead);
  for (const branch of [`${dead.branch}~1`, `${dead.branch}^{commit}`, "HEAD", "--all", "../main", " "]) {
    t.match(await rejection(findSession({ branch, pluginPath: folder })), { code: "INVALID_INPUT" }, branch);
  }
  t.match(await findSession({ branch: `refs/heads/${dead.branch} `, pluginPath: folder }), {
    branch: dead.branch,
  });
});

t.test("a session on a package is found by its branch alone, and knows the package without a state", async (t) => {
  await temporaryWorld(t);
  const { register, ...scratch } = await prepare("npm:@demo/server@1.2.0", { mode: "session" });
  await writeFiles(scratch.worktree, { "src/a.ts": "one\ntwo\n", "node_modules/x.js": "" });
  const source = { ...await makeOwn(scratch, register), register } as Parameters<typeof kill>[0];
  await fix(source, "one", "1");
  await kill(source);
  const { found, source: resumed } = await resume(source.branch);
  t.match(found, { own: true, base: source.base, target: { target: "npm:@demo/server@1.2.0" } });
  t.match(found.degraded, [/state of the session is lost/]);
  t.match(resumed, { name: "@demo/server", source: "npm:@demo/server@1.2.0", subfolder: "" });
  t.notOk("folder" in resumed);
  await fix(resumed, "two", "2");
  t.equal(userGit(resumed.gitDir!, "show", `${source.branch}:src/a.ts`), "1\n2\n");
  await rm(resumed.worktree, { recursive: true });
  await writeFile(join(resumed.gitDir!, "index.lock"), "");
  await kill(resumed);
  t.match((await resume(source.branch, "npm:@demo/server")).found, { history: [{}, {}] });
});
