import { Buffer } from "node:buffer";
import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import { applyFix } from "../../../src/fixes/apply_fix.ts";
import type { SessionBranch } from "../../../src/git/session_branch.ts";
import { ask, rejection, session, textOf, userGit, writeFiles } from "./helpers.ts";
import { startTimeOf } from "../../../src/platform/proc.ts";

const status = (branch: SessionBranch) => userGit(branch.worktree, "status", "--porcelain", "--ignored");
const tip = (branch: SessionBranch) => userGit(branch.worktree, "rev-parse", branch.branch).trim();

t.test("files edited in place become edits; the worktree is as before", async (t) => {
  const { branch, plugin } = await session(t);
  const before = [status(branch), tip(branch)];
  const proposal = await ask(
    branch,
    `sed -i s/three/drei/ src/a.ts && rm src/windows.txt && mkdir -p lib/deep && printf 'new\\n' > 'lib/deep/a b.ts'`,
  );
  t.strictSame(proposal, {
    title: "count throws a TypeError at src/a.ts:3",
    edits: [
      { path: "src/windows.txt", delete: true },
      { path: "src/a.ts", content: "one\ntwo\ndrei\nfour\nfive\nsix\nseven\neight\n" },
      { path: "lib/deep/a b.ts", content: "new\n" },
    ],
  });
  t.strictSame([status(branch), tip(branch)], before);
  t.match(await textOf(plugin, "src/windows.txt"), "two\r\n");
  await t.rejects(stat(join(plugin, "lib")), "no empty folder stays");
  const fix = await applyFix(branch, { tests: ["count_valid"], ...proposal! });
  t.strictSame(fix.files, ["lib/deep/a b.ts", "src/a.ts", "src/windows.txt"]);
});

t.test("a printed patch is the fix; what stands before it is the message", async (t) => {
  const { branch } = await session(t);
  const patch = "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -2,3 +2,3 @@\n two\n-three\n+drei\n four\n";
  const proposal = await ask(branch, `printf 'Count in German\\n\\nAs asked.\\n\\n'; cat <<'E'\n${patch}E`);
  t.strictSame(proposal, { title: "Count in German", body: "As asked.", edits: [{ patch }] });
  t.equal((await applyFix(branch, { tests: [], ...proposal! })).title, "Count in German");
});

t.test("a patch that is printed after the same was done in place is only told", async (t) => {
  const { branch } = await session(t);
  const proposal = await ask(branch, "echo Mended; sed -i s/three/3/ src/a.ts; git diff");
  t.equal(proposal?.title, "Mended");
  t.match(proposal?.edits, [{ path: "src/a.ts", content: /^one\ntwo\n3\n/ }]);
  t.equal(proposal?.edits.length, 1);
});

t.test("nothing changed and nothing printed is no fix; words alone are a refusal", async (t) => {
  const { branch } = await session(t);
  t.equal(await ask(branch, "cat > /dev/null"), undefined);
  t.equal(await ask(branch, "exit 0"), undefined, "a command that does not read what it is told");
  t.match(await rejection(ask(branch, "echo I do not know; echo why")), {
    code: "FIXER_FAILED",
    context: { output: "I do not know\nwhy" },
  });
});

t.test("it is told of the root cause as JSON and in variables, in the plugin's folder", async (t) => {
  const { branch } = await session(t, { within: "plugins/demo" });
  const folder = join(`${branch.worktree}-fixer`, "tree/plugins/demo");
  const told = await mkdtemp(join(tmpdir(), "pth-told-"));
  t.teardown(() => rm(told, { recursive: true, force: true }));
  const variables = '"$PTH_ITERATION|$PTH_GROUP|$PTH_CATEGORY|$PTH_FILE:$PTH_LINE|$PTH_PLUGIN"';
  await ask(branch, `cat > "${told}/in.json"; pwd > "${told}/pwd"; printf %s ${variables} > "${told}/vars"`);
  t.equal((await readFile(join(told, "pwd"), "utf8")).trim(), folder);
  t.equal(
    await readFile(join(told, "vars"), "utf8"),
    "2|runtime-exception:src/a.ts:3|runtime-exception|src/a.ts:3|demo",
  );
  t.match(JSON.parse(await readFile(join(told, "in.json"), "utf8")), {
    version: 1,
    iteration: 2,
    plugin: { name: "demo", folder },
    group: { category: "runtime-exception", testIds: ["count_valid"] },
    diagnoses: [{ testName: "count: valid input" }],
    history: [],
  });
});

t.test("only what it changed counts: not what lay there, not what git ignores, not PTH's own", async (t) => {
  const { branch, plugin } = await session(t, { more: { ".pth/session-state.json": "{}\n" } });
  await writeFiles(plugin, {
    "log.txt": "lies here\n",
    "new.txt": "of the author\n",
    "dist/x.js": "ignored\n",
    "src/windows.txt": "changed by the install\n",
  });
  const proposal = await ask(
    branch,
    `cat log.txt; for file in new.txt dist/x.js .pth/session-state.json src/a.ts; do mkdir -p dist; echo x >> $file; done
     mkdir -p node_modules/a src/__pycache__ && echo x > node_modules/a/index.js && echo x > src/__pycache__/a.pyc`,
  );
  t.match(proposal, {
    title: "lies here",
    edits: [{ path: "new.txt", content: "of the author\nx\n" }, { path: "src/a.ts", content: /x\n$/ }],
  });
  t.equal(proposal?.edits.length, 2);
  t.equal(await textOf(plugin, ".pth/session-state.json"), "{}\n");
  t.equal(await textOf(plugin, "src/windows.txt"), "changed by the install\n", "not reset to the branch");
  t.equal(await textOf(plugin, "new.txt"), "of the author\n", "the worktree is not written to");
});

t.test("a file that differed from the branch already counts once the fixer touches it", async (t) => {
  const { branch, plugin } = await session(t);
  await writeFiles(plugin, { "src/a.ts": "by the install\n" });
  const proposal = await ask(branch, "echo mended >> src/a.ts");
  t.strictSame(proposal?.edits, [{ path: "src/a.ts", content: "by the install\nmended\n" }]);
  t.equal(await textOf(plugin, "src/a.ts"), "by the install\n");
});

t.test("an exit code that is not 0 undoes its edits and tells its last words", async (t) => {
  const { branch } = await session(t);
  const before = status(branch);
  const error = await rejection(
    ask(branch, "echo x > src/a.ts; echo x > src/new.ts; echo no credit left >&2; exit 7"),
  );
  t.match(error, {
    code: "FIXER_FAILED",
    message: /exited with 7/,
    context: { output: "no credit left", exitCode: 7 },
  });
  t.equal(status(branch), before);
});

t.test("a command that there is not is told as the shell says it", async (t) => {
  const { branch } = await session(t);
  t.match(await rejection(ask(branch, "no-such-agent --fix")), {
    code: "FIXER_FAILED",
    message: /exited with 127/,
    context: { output: /no-such-agent/ },
  });
});

t.test("at its limit of time it is ended with its children, and what it did undone", async (t) => {
  const { branch, plugin } = await session(t);
  const error = await rejection(
    ask(branch, "echo x > src/a.ts; sleep 1234 & echo $! >&2; wait", { timeoutSeconds: 0.5 }),
  );
  t.match(error, { code: "FIXER_FAILED", message: /longer than 0.5 s/ });
  const child = Number((error as unknown as { context: { output: string } }).context.output);
  t.ok(child > 1, `pid ${child}`);
  t.equal(await startTimeOf(child), undefined, "no child is left");
  t.match(await textOf(plugin, "src/a.ts"), /^one\n/);
});

t.test("a command that ignores the request to end is ended all the same", async (t) => {
  const { branch } = await session(t);
  const started = Date.now();
  const error = await rejection(
    ask(branch, "trap '' TERM; while :; do sleep 0.2; done", { timeoutSeconds: 0.3 }),
  );
  t.match(error, { code: "FIXER_FAILED" });
  t.ok(Date.now() - started < 60_000);
});

t.test("a child left in the background is ended and does not hold up the fix", async (t) => {
  const { branch } = await session(t);
  const proposal = await ask(branch, "sed -i s/three/3/ src/a.ts; sleep 1234 & echo done");
  t.equal(proposal?.title, "done");
});

t.test("cancelling rejects with the reason and undoes what was done", async (t) => {
  const { branch, plugin } = await session(t);
  const controller = new AbortController();
  const work = ask(branch, "echo x > src/a.ts; echo at work >&2; sleep 1234", {
    signal: controller.signal,
    onOutput: () => controller.abort(new Error("enough")),
  });
  t.match(await rejection(work), { message: "enough" });
  t.match(await textOf(plugin, "src/a.ts"), /^one\n/);
});

t.test("its stderr is told as it comes", async (t) => {
  const { branch } = await session(t);
  const heard: string[] = [];
  await ask(branch, "echo thinking >&2", { onOutput: (text) => heard.push(text) });
  t.equal(heard.join(""), "thinking\n");
});

t.test("secrets of the server are neither in its variables nor in what it is told", async (t) => {
  const { branch, plugin } = await session(t);
  process.env.PTH_TEST_TOKEN = "s3cret-value-1";
  process.env.PTH_TEST_URL = "https://user:s3cret-value-1@example.org";
  t.teardown(() => {
    delete process.env.PTH_TEST_TOKEN;
    delete process.env.PTH_TEST_URL;
  });
  const secrets = new Map([["API_TOKEN", "s3cret-value-1"]]);
  const { diagnoses, ...rest } = (await import("./helpers.ts")).input(branch);
  const telling = diagnoses.map((diagnosis) => ({ ...diagnosis, stderr: "token s3cret-value-1" }));
  const proposal = await ask(branch, "{ env; cat; } > told.txt", {
    secrets,
    input: { ...rest, diagnoses: telling },
  });
  const [edit] = proposal!.edits as [{ path: string; content: string }];
  t.match(edit.content, "[REDACTED]");
  t.match(edit.content, "PATH=");
  t.notMatch(edit.content, "s3cret-value-1");
  t.notMatch(edit.content, "PTH_TEST_URL");
  t.match(await textOf(plugin, "src/a.ts"), /^one/);
});

t.test("a fixer that commits is refused; the branch is back", async (t) => {
  const { branch, plugin } = await session(t);
  const before = [status(branch), tip(branch)];
  const commit = "git -c user.name=a -c user.email=b@c commit -qam mine";
  for (
    const command of [
      `echo x >> src/a.ts; echo new > src/n.ts; git add -A; ${commit}`,
      `git checkout -q -b other; echo x >> src/a.ts; ${commit}`,
      "git checkout -q --detach",
      "git reset -q --hard HEAD; git commit -q --allow-empty -m x --author='a <b@c>'",
    ]
  ) {
    t.match(await rejection(ask(branch, command)), {
      code: "FIXER_FAILED",
      message: /committed or checked out/,
    }, command);
    t.strictSame([status(branch), tip(branch)], before, command);
    t.equal(userGit(plugin, "symbolic-ref", "HEAD").trim(), `refs/heads/${branch.branch}`);
  }
});

t.test("what a fixer stages counts, and is staged nowhere else", async (t) => {
  const { branch, plugin } = await session(t);
  await writeFiles(plugin, { "staged.txt": "before\n" });
  userGit(plugin, "add", "staged.txt");
  const before = status(branch);
  const proposal = await ask(
    branch,
    "echo new > src/n.ts; echo x >> src/a.ts; git rm -q src/windows.txt; git add -A",
  );
  t.strictSame(
    proposal?.edits.map((edit) => "path" in edit && edit.path).sort(),
    ["src/a.ts", "src/n.ts", "src/windows.txt"],
  );
  t.equal(status(branch), before);
});

t.test("bytes and permissions survive; the fix holds them", async (t) => {
  const { branch, plugin } = await session(t, { more: { "run.sh": "echo hi\n", "old.txt": "one\r\n" } });
  const latin = "printf 'caf\\351\\n' > latin.txt";
  const proposal = await ask(
    branch,
    `printf '\\000\\001\\002' > icon.bin; chmod +x run.sh; printf 'caf\\351\\r\\n' > old.txt; ${latin}; printf '#!/bin/sh\\n' > go.sh; chmod +x go.sh`,
  );
  await applyFix(branch, { tests: [], ...proposal! });
  t.equal(Buffer.compare(await readFile(join(plugin, "icon.bin")), Buffer.from([0, 1, 2])), 0);
  t.equal((await readFile(join(plugin, "latin.txt"))).at(3), 0xe9);
  t.equal((await readFile(join(plugin, "old.txt"))).toString("latin1"), "caf\u00e9\r\n");
  for (const path of ["run.sh", "go.sh"]) t.ok((await stat(join(plugin, path))).mode & 0o100, path);
  t.equal(status(branch).trim(), "");
});

t.test("windows line ends stay, whether the fixer kept them or not", async (t) => {
  const { branch, plugin } = await session(t);
  await applyFix(branch, { tests: [], ...(await ask(branch, "sed -i s/two/2/ src/windows.txt"))! });
  t.equal(await textOf(plugin, "src/windows.txt"), "one\r\n2\r\nthree\r\n");
  await applyFix(branch, { tests: [], ...(await ask(branch, "printf 'one\\nzwei\\n' > src/windows.txt"))! });
  t.equal(await textOf(plugin, "src/windows.txt"), "one\r\nzwei\r\n");
});

t.test("what no fix can hold is refused with the reason, and taken back", async (t) => {
  const { branch, plugin } = await session(t, { within: "plugins/demo" });
  await symlink("a.ts", join(plugin, "src/link.ts"));
  userGit(plugin, "add", "src/link.ts");
  userGit(plugin, "commit", "-qm", "a link");
  const before = status(branch);
  const cases: [string, RegExp][] = [
    ["ln -s /etc/passwd src/evil", /src\/evil is made a symbolic link/],
    ["echo x > ../outside.txt", /\.\.\/outside.txt lies outside the plugin's folder/],
    ["rm src/link.ts; echo x > src/link.ts", /was a symbolic link/],
    ["git init -q vendored; echo x > vendored/a", /vendored is a git repository of its own/],
    ["rm src/a.ts; mkfifo src/a.ts", /no file/],
  ];
  for (const [command, reason] of cases) {
    t.match(await rejection(ask(branch, command)), { code: "FIXER_FAILED", message: reason }, command);
    t.equal(status(branch), before, command);
  }
});

t.test("a file may become a folder, and a link may go", async (t) => {
  const { branch, plugin } = await session(t);
  await symlink("a.ts", join(plugin, "src/link.ts"));
  userGit(plugin, "add", "src/link.ts");
  userGit(plugin, "commit", "-qm", "a link");
  const proposal = await ask(branch, "rm src/link.ts src/a.ts; mkdir src/a.ts; echo new > src/a.ts/index.ts");
  t.match(await textOf(plugin, "src/a.ts"), /^one/, "taken back");
  await applyFix(branch, { tests: [], ...proposal! });
  t.equal(await textOf(plugin, "src/a.ts/index.ts"), "new\n");
  t.equal(status(branch).trim(), "");
});

t.test("a file that cannot be written to for the fixer leaves its reason", async (t) => {
  if (process.getuid?.() === 0) return void t.comment("not as root: it may write anything");
  const { branch, plugin } = await session(t);
  await chmod(join(plugin, "src/a.ts"), 0o444);
  await writeFile(join(plugin, "src/b.ts"), "");
  t.match(await rejection(ask(branch, "echo x > src/a.ts")), {
    code: "FIXER_FAILED",
    context: { output: /denied/ },
  });
});
