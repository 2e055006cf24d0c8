// test: timeout=300
/** Whatever the author configured (hooks, signing, filters, names, disks): sessions work, and leave the checkout as it was. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import { applyFix } from "../../../src/fixes/apply_fix.ts";
import { readHistory } from "../../../src/git/history.ts";
import { revertFix } from "../../../src/fixes/revert_fix.ts";
import { branchOf } from "../../../src/git/session_branch.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { removeSource } from "../../../src/session/remove_source.ts";
import {
  makeRepository,
  prepare,
  rejection,
  temporaryWorld,
  textOf,
  userGit,
  writeFiles,
} from "../../src/session/helpers.ts";
import { changesSince, photograph } from "../../support/checkout_photo.ts";
import { edit, files, wholeSession, withVariables } from "./whole_session.ts";

t.setTimeout(240_000);

/** Each writes where it ran, and refuses. */
const hooks = [
  "pre-commit",
  "prepare-commit-msg",
  "commit-msg",
  "post-commit",
  "post-checkout",
  "post-index-change",
  "reference-transaction",
  "pre-auto-gc",
];

async function writeHooks(folder: string, trace: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const hook of hooks) {
    await writeFile(
      join(folder, hook),
      `#!/bin/sh\necho ${hook} >> "${trace}"\ntouch made-by-${hook}\nexit 1\n`,
      {
        mode: 0o755,
      },
    );
  }
  return folder;
}

t.test("hooks of the repository, of its configuration and of the user's never run", async (t) => {
  const { folder, home } = await temporaryWorld(t);
  const trace = join(home, "trace");
  const user = join(home, "user");
  const others = await writeHooks(join(home, "hooks"), trace);
  await makeRepository(folder, files);
  await writeHooks(join(folder, ".git/hooks"), trace);
  await wholeSession(t, folder);
  await writeFiles(user, {
    ".gitconfig": `[core]\n\thooksPath = "${others}"\n\tfsmonitor = "${others}/pre-commit"\n`,
  });
  await withVariables({ HOME: user, XDG_CONFIG_HOME: undefined }, () => wholeSession(t, folder));
  userGit(folder, "config", "core.hooksPath", others);
  await wholeSession(t, folder);
  t.equal(await textOf(trace), undefined, "no hook ran");
});

t.test("signing that fails, in every way to sign, and a user without a name", async (t) => {
  const { folder, home } = await temporaryWorld(t);
  await makeRepository(folder, files);
  for (const format of ["openpgp", "ssh", "x509"]) {
    const user = join(home, format);
    await writeFiles(user, {
      ".gitconfig": "[commit]\n\tgpgSign = true\n[tag]\n\tgpgSign = true\n" +
        `[gpg]\n\tformat = ${format}\n[gpg "${format}"]\n\tprogram = /bin/false\n[user]\n\tuseConfigOnly = true\n` +
        "[log]\n\tshowSignature = true\n",
    });
    await withVariables({ HOME: user, XDG_CONFIG_HOME: undefined }, () => wholeSession(t, folder));
  }
  const nobody = join(home, "nobody");
  await mkdir(nobody);
  await withVariables({ HOME: nobody, XDG_CONFIG_HOME: undefined }, () => wholeSession(t, folder));
  const [branch = ""] = userGit(folder, "for-each-ref", "--format=%(refname:short)", "refs/heads/pth").split(
    "\n",
  );
  t.equal(
    userGit(folder, "log", "-1", "--format=%an <%ae>", branch).trim(),
    "Plugin Test Harness <pth@localhost>",
  );
});

t.test("settings of the user that change what git prints or takes", async (t) => {
  const { folder, home } = await temporaryWorld(t);
  await makeRepository(folder, files);
  await writeFiles(home, {
    ".gitconfig":
      `[color]\n\tui = always\n[diff]\n\tnoprefix = true\n\texternal = /bin/false\n\trelative = true
[merge]\n\tconflictStyle = zdiff3\n[status]\n\tshowUntrackedFiles = no\n[log]\n\tfollow = true\n\tdecorate = full
[core]\n\tquotePath = true\n\tpager = /bin/false\n\twhitespace = cr-at-eol\n[apply]\n\twhitespace = error-all
[i18n]\n\tcommitEncoding = ISO-8859-1\n\tlogOutputEncoding = ISO-8859-1\n[commit]\n\tcleanup = strip\n\tverbose = true
\ttemplate = /nowhere\n[branch]\n\tautoSetupMerge = always\n[checkout]\n\tdefaultRemote = x\n`,
  });
  await withVariables({ HOME: home, XDG_CONFIG_HOME: undefined }, () => wholeSession(t, folder));
});

t.test("git's variables in PTH's own surroundings lead nowhere else", async (t) => {
  const { folder, home } = await temporaryWorld(t);
  const other = join(home, "other");
  await mkdir(other, { recursive: true });
  await makeRepository(folder, files);
  await makeRepository(other, { "other.txt": "x\n" });
  const before = await photograph(other);
  const variables = {
    GIT_DIR: join(other, ".git"),
    GIT_WORK_TREE: other,
    GIT_INDEX_FILE: join(other, ".git/index"),
    GIT_COMMON_DIR: join(other, ".git"),
    GIT_OBJECT_DIRECTORY: join(other, ".git/objects"),
    GIT_PREFIX: "deep/",
    GIT_ICASE_PATHSPECS: "1",
    GIT_GRAFT_FILE: join(other, "grafts"),
    GIT_SHALLOW_FILE: join(other, "shallow"),
    GIT_EXTERNAL_DIFF: "/bin/false",
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.hooksPath",
    GIT_CONFIG_VALUE_0: await writeHooks(join(home, "hooks"), join(home, "trace")),
  };
  // The test's own git must not hear them.
  const { register, ...source } = await withVariables(variables, () => prepare(folder, { mode: "session" }));
  const branch = branchOf(source)!;
  await withVariables(variables, async () => {
    const fix = await applyFix(branch, edit);
    await revertFix(branch, fix.commit);
    await readHistory(branch);
    t.match(await removeSource(source, { register }), { branchKept: true, commits: 2, leftBehind: [] });
  });
  t.strictSame(await changesSince(before, other), []);
  t.equal(await textOf(home, "trace"), undefined);
});

for (
  const name of ["with  spaces ", "ünï cödé 插件", "-rf", "new\nline", 'quo"te\\back$(touch x)', ".hidden"]
) {
  t.test(`a checkout, and a plugin within it, called ${JSON.stringify(name)}`, async (t) => {
    const { folder: top } = await temporaryWorld(t);
    const folder = join(top, name);
    await mkdir(folder);
    const within = Object.entries(files).map(([path, text]) => [join(name, path), text]);
    await makeRepository(folder, { ...files, ...Object.fromEntries(within) });
    t.type((await wholeSession(t, folder)).branch, "string");
    t.type((await wholeSession(t, join(folder, name), folder)).branch, "string");
  });
}

const root = process.getuid?.() === 0;
const needsRoot = root ? {} : { skip: "needs root: it mounts and changes owners" };

t.test("a folder for worktrees on another disk", needsRoot, async (t) => {
  const { folder, worktrees } = await temporaryWorld(t);
  await makeRepository(folder, files);
  await mkdir(worktrees, { recursive: true });
  if ((await runCommand(["mount", "-t", "tmpfs", "none", worktrees])).code !== 0) {
    return void t.pass("not run", { skip: "mount is refused here" });
  }
  t.teardown(() => runCommand(["umount", worktrees]));
  await wholeSession(t, folder);
  t.strictSame((await runCommand(["ls", worktrees])).stdout, "");
});

t.test("a .git that cannot be written, and one of another user", needsRoot, async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, files);
  const git = join(folder, ".git");
  const mounted = (await runCommand(["mount", "--bind", git, git])).code === 0 &&
    (await runCommand(["mount", "-o", "remount,ro,bind", git])).code === 0;
  if (!mounted) return void t.pass("not run", { skip: "mount is refused here" });
  t.teardown(() => runCommand(["umount", git]));
  const readOnly = await wholeSession(t, folder);
  t.equal(readOnly.branch, undefined);
  t.match(
    readOnly.notes,
    /A copy without a branch: the repository cannot be written \(.*unable to create/,
  );
  await runCommand(["umount", git]);
  await runCommand(["chown", "-R", "65534:65534", folder]);
  const foreign = await wholeSession(t, folder);
  t.equal(foreign.branch, undefined);
  t.match(foreign.notes, /A copy without a branch: detected dubious ownership/);
});

t.test("line ends that git changes on the way, in both directions", async (t) => {
  const { folder, home } = await temporaryWorld(t);
  await makeRepository(folder, {
    ...files,
    ".gitattributes": "*.bat eol=crlf\n",
    "run.bat": "one\r\ntwo\r\n",
  });
  for (const autocrlf of ["true", "input"]) {
    await writeFiles(home, { ".gitconfig": `[core]\n\tautocrlf = ${autocrlf}\n\tsafecrlf = true\n` });
    await withVariables({ HOME: home, XDG_CONFIG_HOME: undefined }, async () => {
      const { text } = await wholeSession(t, folder);
      t.equal(
        text,
        "1\ntwo\nthree\n",
        `autocrlf=${autocrlf}: the commit holds what it held, but for the fix`,
      );
    });
  }
});

t.test("filters that keep other bytes in git than on the disk", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, { "package.json": files["package.json"] });
  userGit(folder, "config", "filter.upper.clean", "tr a-z A-Z");
  userGit(folder, "config", "filter.upper.smudge", "tr A-Z a-z");
  userGit(folder, "config", "filter.upper.required", "true");
  await writeFiles(folder, { ...files, ".gitattributes": "*.txt filter=upper\n" });
  userGit(folder, "add", "--all");
  userGit(folder, "commit", "--quiet", "--message=filtered");
  const { text } = await wholeSession(t, folder);
  t.equal(text, "1\nTWO\nTHREE\n");
});

t.test("a filter that fails refuses the session with its words, and nothing is left", async (t) => {
  const { folder, worktrees } = await temporaryWorld(t);
  await makeRepository(folder, { ...files, ".gitattributes": "*.txt filter=lfs\n" });
  userGit(folder, "config", "filter.lfs.smudge", "echo no such object >&2; false");
  userGit(folder, "config", "filter.lfs.required", "true");
  const before = await photograph(folder);
  const error = await rejection(prepare(folder, { mode: "session" }));
  t.match(error, { code: "WORKTREE_FAILED", context: { output: /no such object/ } });
  t.strictSame(await changesSince(before, folder, { branch: false }), []);
  t.equal((await runCommand(["ls", worktrees])).stdout, "");
});
