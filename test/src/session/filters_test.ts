/** Which repositories' filters run on the host: those that the user's own git would run, and no others. */
import { execFileSync } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import { pathExists } from "../../../src/platform/files.ts";
import { applyFix } from "../../../src/fixes/apply_fix.ts";
import { makeRepository as ownRepository } from "../../../src/git/make_repository.ts";
import { branchOf } from "../../../src/git/session_branch.ts";
import { makeRepository, prepare, temporaryWorld, userGit } from "./helpers.ts";

const asRoot = process.getuid?.() === 0 ? {} : { skip: "only root gives files to another user" };
const files = { ".gitattributes": "* filter=mark\n", "package.json": '{"name":"demo"}\n', "a.txt": "one\n" };

/** A filter that leaves a canary when it runs. */
async function filter(folder: string): Promise<{ canary: string; command: string }> {
  const canary = join(folder, "../canary");
  const command = join(folder, "../filter.sh");
  await writeFile(command, `#!/bin/sh\ntouch '${canary}'\nexec cat\n`);
  await chmod(command, 0o755);
  return { canary, command: `'${command}'` };
}

function configure(folder: string, command: string): void {
  for (const kind of ["clean", "smudge"]) userGit(folder, "config", `filter.mark.${kind}`, command);
}

const fix = { tests: ["t"], title: "mend", edits: [{ path: "a.txt", find: "one", replace: "1" }] };

t.test("filters of the user's own repository run, as git itself would run them", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, files);
  const { canary, command } = await filter(folder);
  configure(folder, command);
  const source = await prepare(folder, { mode: "session" });
  await applyFix(branchOf(source)!, fix);
  t.ok(await pathExists(canary));
});

t.test("filters of a repository that belongs to another user do not run", asRoot, async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, files);
  const { canary, command } = await filter(folder);
  configure(folder, command);
  execFileSync("chown", ["-R", "65534:65534", folder]);
  const { register, ...source } = await prepare(folder, { mode: "session" });
  t.equal(source.branch, undefined, "it is a copy without a branch");
  t.match(source.notes.join("\n"), /dubious ownership/);
  await applyFix(branchOf(await ownRepository(source, register))!, fix);
  t.notOk(await pathExists(canary));
});

t.test("a repository within the plugin has no say: neither its filters nor what its files include", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, { ...files, ".gitconfig": '[filter "mark"]\nclean = false\n' });
  const { canary, command } = await filter(folder);
  const { register: _register, ...source } = await prepare(folder, { mode: "session" });
  // As a plugin does it that writes where it runs.
  for (const within of ["", "vendored"]) {
    const inner = join(source.worktree, within);
    await mkdir(inner, { recursive: true });
    if (within === "") execFileSync("rm", ["-rf", join(inner, ".git")]);
    userGit(inner, "init", "--quiet");
    configure(inner, command);
  }
  await applyFix(branchOf(source)!, fix);
  t.notOk(await pathExists(canary));
});

t.test("a plain folder's files choose among the user's filters, and define none", async (t) => {
  const { folder } = await temporaryWorld(t);
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const { canary, command } = await filter(folder);
  await writeFile(join(folder, ".gitconfig"), `[filter "mark"]\n\tclean = ${command}\n`);
  const { register, ...source } = await prepare(folder, { mode: "session" });
  await applyFix(branchOf(await ownRepository(source, register))!, fix);
  t.notOk(await pathExists(canary));
});
