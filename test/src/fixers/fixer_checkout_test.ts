/** Fixers that do more than edit: what they leave in their checkout runs nothing, leads nowhere and stays with nobody. */
import { mkdir, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { listSessions } from "../../../src/registry/register.ts";
import { removeSource } from "../../../src/session/remove_source.ts";
import { fingerprint } from "../fixes/helpers.ts";
import { ask, rejection, session, textOf, userGit, writeFiles } from "./helpers.ts";

const nothing = () => false;

/** A program that says in `trace` that it ran. */
async function trap(folder: string) {
  const [program, trace] = [join(folder, "evil"), join(folder, "trace")];
  await mkdir(folder, { recursive: true });
  await writeFile(program, `#!/bin/sh\necho "$0 $@" >> "${trace}"\ncat\n`, { mode: 0o755 });
  return { program, trace };
}

t.test("what a fixer writes into its .git runs nothing of it on the host", async (t) => {
  const { branch, home } = await session(t);
  const { program, trace } = await trap(join(home, "trap"));
  const keys = [
    "core.fsmonitor",
    "core.sshCommand",
    "core.editor",
    "filter.evil.clean",
    "filter.evil.smudge",
    "filter.evil.process",
    "diff.evil.command",
    "diff.external",
  ];
  const configure = keys.map((key) => `git config ${key} '"${program}"'`).join("; ");
  const hooks =
    `mkdir -p .git/hooks; for h in post-checkout post-index-change reference-transaction; do cp '${program}' .git/hooks/$h; done`;
  const attributes = "echo '* filter=evil diff=evil' > .gitattributes";
  const evil = `${configure}; ${hooks}; ${attributes}; echo x >> src/a.ts`;
  const proposal = await ask(branch, evil);
  t.strictSame(proposal?.edits.map((edit) => "path" in edit && edit.path), ["src/a.ts", ".gitattributes"]);
  t.match(await rejection(ask(branch, `${evil}; git config core.worktree /; exit 3`)), {
    code: "FIXER_FAILED",
  });
  t.match(await ask(branch, "sed -i s/three/3/ src/a.ts; git diff --stat"), {
    edits: [{ path: "src/a.ts" }],
  });
  t.equal(await textOf(trace), undefined, "nothing ran");
});

t.test("a .git that a fixer replaces is no way past the question whether it committed", async (t) => {
  const { branch, folder } = await session(t);
  const before = await fingerprint(folder, nothing);
  for (
    const command of [
      "rm -rf .git",
      "rm -rf .git; git init -q",
      `rm -rf .git; echo 'gitdir: ${branch.gitDir}' > .git`,
      `rm -rf .git; ln -s '${join(folder, ".git")}' .git`,
      `rm .git/HEAD; ln -s '${branch.gitDir}/HEAD' .git/HEAD`,
    ]
  ) {
    const work = ask(branch, `${command}; echo x >> src/a.ts`);
    t.match(await rejection(work), { code: "FIXER_FAILED", message: /committed or checked out/ }, command);
    t.equal(await fingerprint(folder, nothing), before, "the author's repository is as before");
  }
  t.match(await ask(branch, "echo x >> src/a.ts"), { edits: [{ path: "src/a.ts" }] });
});

t.test("commits, branches and objects that a fixer makes stay in its own repository", async (t) => {
  const { branch, folder } = await session(t);
  const before = await fingerprint(folder, nothing);
  const commit = "git -c user.name=a -c user.email=b@c commit -qam mine; git branch other; git tag v1";
  t.match(await rejection(ask(branch, `git log --oneline -1 && echo x >> src/a.ts; ${commit}`)), {
    code: "FIXER_FAILED",
    message: /committed/,
  });
  t.equal(await fingerprint(folder, nothing), before);
  t.equal(userGit(folder, "worktree", "list", "--porcelain").match(/^worktree /gm)?.length, 2);
});

t.test("links that a fixer leaves lead neither the comparison nor the next fixer out of the checkout", async (t) => {
  const { branch, home } = await session(t);
  const outside = join(home, "outside");
  await writeFiles(outside, { "a.ts": "not mine\n", "secret": "s\n" });
  const before = await fingerprint(outside, nothing);
  for (
    const [command, reason] of [
      [`rm -r src; ln -s '${outside}' src`, /src is made a symbolic link/],
      [`rm src/a.ts; ln -s '${outside}/secret' src/a.ts`, /src\/a\.ts is made a symbolic link/],
      [`ln -s '${outside}' node_modules`, /node_modules is made a symbolic link/],
      [`mkdir deep; ln -s '${outside}' deep/out`, /deep\/out is made a symbolic link/],
    ] as const
  ) {
    const asked = ask(branch, command);
    t.match(await rejection(asked), { code: "FIXER_FAILED", message: reason }, command);
    t.match(await ask(branch, "sed -i s/three/3/ src/a.ts"), {
      edits: [{ path: "src/a.ts", content: /^one\ntwo\n3\n/ }],
    });
    t.equal(await fingerprint(outside, nothing), before, command);
  }
});

t.test("a folder of the session's worktree that became a link is neither read nor written through", async (t) => {
  const { branch, home } = await session(t);
  const outside = join(home, "outside");
  await writeFiles(outside, { "a.ts": "secret of the host\n" });
  await rm(join(branch.worktree, "src"), { recursive: true });
  await symlink(outside, join(branch.worktree, "src"));
  const before = await fingerprint(outside, nothing);
  const proposal = await ask(branch, "cat src/a.ts; echo x >> src/a.ts; echo new > package.json");
  t.match(proposal, { title: "one", edits: [{ path: "package.json" }] }, "it sees the branch's files");
  t.equal(proposal?.edits.length, 1, "what the session's worktree cannot take is no edit");
  t.equal(await fingerprint(outside, nothing), before);
});

t.test("the checkout is the user's alone, registered before it is made, and gone with the session", async (t) => {
  const { branch, source, register } = await session(t);
  const folder = `${branch.worktree}-fixer`;
  await ask(branch, "exit 0", { register });
  t.equal((await stat(folder)).mode & 0o777, 0o700);
  const known = (await listSessions()).find(({ sessionId }) => sessionId === source.sessionId);
  t.ok(known?.entries.some(({ kind, name }) => kind === "scratch" && name === folder));
  t.match(await removeSource(source, { register }), { leftBehind: [] });
  t.notOk((await readdir(join(folder, ".."))).some((name) => name.endsWith("-fixer")));
  await register.close();
});

t.test("dependencies that a fixer installs are there for the next one; all else is as the branch has it", async (t) => {
  const { branch } = await session(t);
  await ask(
    branch,
    "mkdir -p node_modules/x && echo 1 > node_modules/x/i.js; mkdir dist; echo 2 > dist/o; exit 0",
  );
  t.match(await ask(branch, "cat node_modules/x/i.js; ls dist || echo no dist; echo x >> src/a.ts"), {
    title: "1",
    body: /no dist/,
  });
});

t.test("a checkout that a kill left half-way is made anew", async (t) => {
  const { branch } = await session(t);
  await ask(branch, "exit 0");
  await writeFile(`${branch.worktree}-fixer/index.lock`, "");
  t.match(await ask(branch, "echo x >> src/a.ts"), { edits: [{ path: "src/a.ts" }] });
  await writeFile(`${branch.worktree}-fixer/index`, "no index");
  t.match(await ask(branch, "echo x >> src/a.ts"), { edits: [{ path: "src/a.ts" }] });
});
