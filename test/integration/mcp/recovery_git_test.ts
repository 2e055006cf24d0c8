// test: timeout=120
/** Worktrees, commits, reverts and branches that git refuses. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { makeRepository, userGit } from "../../src/session/helpers.ts";
import { breakingPlugin } from "./recovery_plugin.ts";
import { openSessionClient } from "../../support/session_client.ts";

t.setTimeout(110_000);

t.test("a worktree that cannot be made is told with what is in its way", async (t) => {
  const worktrees = `/dev/null/worktrees`;
  const { folder, call } = await openSessionClient(t, { PTH_WORKTREE_DIR: worktrees });
  const pluginPath = join(folder, "plugin");
  await makeRepository(pluginPath, breakingPlugin());
  const { text, data } = await call("pth_start_session", { pluginPath });
  t.match(text, /\[WORKTREE_FAILED\]/);
  t.match(text, new RegExp(`Worktrees of the repository: ${pluginPath} +[0-9a-f]+ \\[`));
  t.match(text, /State of the path: \/dev\/null\/worktrees is not there; \/dev\/null is not a folder/);
  t.match(text, /Next:[^]*pth clean[^]*PTH_WORKTREE_DIR=/);
  t.match(data, { error: { code: "WORKTREE_FAILED" } });
  t.equal(userGit(pluginPath, "branch", "--list", "pth/*"), "", "no branch stays");
});

t.test("a repository that git cannot read whole is told in git's words", async (t) => {
  const { folder, call } = await openSessionClient(t);
  const pluginPath = join(folder, "plugin");
  await makeRepository(pluginPath, { ...breakingPlugin(), "notes.txt": "lost\n" });
  const blob = userGit(pluginPath, "rev-parse", "HEAD:notes.txt").trim();
  await rm(join(pluginPath, ".git/objects", blob.slice(0, 2), blob.slice(2)));
  const { text } = await call("pth_start_session", { pluginPath });
  t.match(text, /\[WORKTREE_FAILED\]/);
  t.match(text, new RegExp(`Output:[^]*${blob}`));
  t.match(text, /Worktrees of the repository: /);
  t.match(
    text,
    /State of the path: .*worktrees is a folder with mode \d+, its owner is this user, \d+ MiB free/,
  );
  t.equal(userGit(pluginPath, "branch", "--list", "pth/*"), "", "no branch stays");
});

t.test("on the session branch", async (t) => {
  const { folder, call, succeed } = await openSessionClient(t);
  const pluginPath = join(folder, "plugin");
  await makeRepository(pluginPath, { ...breakingPlugin(), "notes.txt": "one\n" });
  userGit(pluginPath, "branch", "pth/mine");

  await t.test("a name that is taken is refused with the branch's history", async (t) => {
    const { text, data } = await call("pth_start_session", { pluginPath, branch: "pth/mine" });
    t.match(text, /^Cannot start session: branch pth\/mine exists \[BRANCH_EXISTS\]/);
    t.match(text, /Its latest commits: [0-9a-f]{7,} 20/);
    t.match(text, /Next:\n- Resume it: pth_resume_session\(\{ branch: "pth\/mine" \}\)/);
    t.match(data, { error: { branch: "pth/mine", history: [/^[0-9a-f]{7}/] } });
    t.match((await call("pth_start_session", { pluginPath, branch: "no name" })).text, /\[INVALID_INPUT\]/);
    t.match(userGit(pluginPath, "branch", "--list", "pth/*"), /pth\/mine/, "it is as it was");
  });

  const started = await succeed(t, "pth_start_session", { pluginPath, branch: "pth/other" });
  t.match(started.text, /Branch: pth\/other/);
  const gitDir = join(pluginPath, ".git/worktrees");
  const lockOf = async () => {
    const [name] = userGit(pluginPath, "worktree", "list", "--porcelain").match(/pth-worktree-\S+/) ?? [];
    await mkdir(gitDir, { recursive: true });
    return join(gitDir, name!, "index.lock");
  };
  const fix = (content: string) => ({
    category: "wrong-output",
    title: `say ${content}`,
    edits: [{ path: "notes.txt", content: `${content}\n` }],
  });

  await t.test("a commit waits while another git holds the lock", async (t) => {
    const lock = await lockOf();
    await writeFile(lock, "");
    let freed: Promise<void> | undefined;
    const onprogress = ({ message = "" }) => {
      if (/trying again/.test(message)) freed ??= rm(lock);
    };
    const { text, isError } = await call("pth_apply_fix", fix("two"), { onprogress });
    t.notOk(isError, text);
    t.ok(freed, "it was tried again");
    await freed;
  });

  await t.test("a lock that stays is told with the state of the index", async (t) => {
    const lock = await lockOf();
    await writeFile(lock, "");
    const { text, data } = await call("pth_apply_fix", fix("three"));
    t.match(text, /^Cannot commit to pth\/other: another git holds a lock; nothing was committed/);
    t.match(text, /Output:[^]*index\.lock': File exists/);
    t.match(text, /Tried:[^]*3 times/);
    t.match(text, /State of the index:\n.*index\.lock is there, since 20.*\n.*nothing staged/);
    t.match(text, /Disks of the host:/);
    t.match(text, /Next:[^]*remove the index\.lock/);
    t.match(data, { error: { code: "COMMIT_FAILED", attempts: 3 } });
    await rm(lock);
    await succeed(t, "pth_apply_fix", fix("three"));
  });

  await t.test("a revert that conflicts is told with the markers, and changes nothing", async (t) => {
    const history = userGit(pluginPath, "log", "--format=%H %s", "pth/other").trim().split("\n");
    const commit = history.find((line) => line.endsWith("fix: say two"))!.split(" ")[0]!;
    const { text, data } = await call("pth_revert_fix", { commit });
    t.match(text, /\[REVERT_CONFLICT\]/);
    t.match(text, /<<<<<<< now\nthree\n[^]*>>>>>>> before the fix/);
    t.match(text, new RegExp(`Commit to be reverted: ${commit}\nFiles: notes\\.txt`));
    t.match(text, /Next:[^]*pth_apply_fix/);
    t.match(data, { error: { commit, files: ["notes.txt"] } });
    t.equal(userGit(pluginPath, "log", "--format=%H %s", "pth/other").trim(), history.join("\n"));
  });
  await succeed(t, "pth_end_session");
});
