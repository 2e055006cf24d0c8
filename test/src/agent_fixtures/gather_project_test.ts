import { readdir } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { gatherProject } from "../../../src/agent_fixtures/gather_project.ts";
import { gitOutput } from "../../../src/git/git.ts";
import { mkdir, pathExists, readTextFile, symlink, writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

async function placeOf(t: Test, files: Record<string, string>) {
  const root = await temporaryFolder(t);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, path, ".."), { recursive: true });
    await writeTextFile(join(root, path), text);
  }
  return { root, into: await temporaryFolder(t) };
}

const start = { files: [], git: false, commands: [] };

t.test("files and folders are gathered where the test wants them, a later one over an earlier", async (t) => {
  const { root, into } = await placeOf(t, {
    "data/a.txt": "a",
    "data/below/b.txt": "b",
    "data/.git/hooks/post-checkout": "no",
    "other.txt": "new a",
  });
  const files = [{ from: "data", to: "in/here" }, { from: "other.txt", to: "in/here/a.txt" }];
  const gathered = await gatherProject({ ...start, root, files }, into);
  t.notOk("archive" in gathered);
  t.strictSame((await readdir(gathered.files, { recursive: true })).sort(), [
    "in",
    "in/here",
    "in/here/a.txt",
    "in/here/below",
    "in/here/below/b.txt",
  ]);
  t.equal(await readTextFile(join(gathered.files, "in/here/a.txt")), "new a");
});

t.test("links, what is not there and ways out of the folder are refused", async (t) => {
  const { root, into } = await placeOf(t, { "a.txt": "a" });
  await symlink("/etc/hostname", join(root, "link"));
  for (
    const [from, to, code] of [
      ["link", "x", "PATH_REFUSED"],
      ["none", "x", "TARGET_NOT_FOUND"],
      ["../a.txt", "x", "PATH_REFUSED"],
      ["a.txt", "../x", "PATH_REFUSED"],
    ] as const
  ) {
    await t.rejects(
      gatherProject({ ...start, root, files: [{ from, to }] }, into),
      { code },
      `${from} ${to}`,
    );
  }
  t.notOk(await pathExists(join(into, "..", "x")));
});

t.test("a branch is taken at its commit, and one that moved is named with both", async (t) => {
  const { root, into } = await placeOf(t, { "config.yaml": "first" });
  const git = (...args: string[]) =>
    gitOutput(root, ["-c", "user.name=a", "-c", "user.email=a@localhost", ...args]);
  await git("init", "-q", "-b", "main");
  await git("add", "-A");
  await git("commit", "-q", "-m", "one");
  await git("branch", "test/herbarium/empty");
  const commit = (await git("rev-parse", "HEAD")).trim();
  await writeTextFile(join(root, "config.yaml"), "changed, and not committed");
  const branch = "test/herbarium/empty";
  const { archive } = await gatherProject({ ...start, root, branch, commit }, into);
  const { stdout } = await runCommand(["tar", "-xOf", archive!, "config.yaml"]);
  t.equal(stdout, "first");

  await git("commit", "-q", "-am", "two");
  await git("branch", "-f", branch);
  const moved = (await git("rev-parse", "HEAD")).trim();
  await t.rejects(gatherProject({ ...start, root, branch, commit }, into), {
    code: "INVALID_INPUT",
    message:
      `Cannot set up the project: the branch ${branch} has moved: it is at ${moved}, and frozen at ${commit}`,
  });
  await t.rejects(gatherProject({ ...start, root, branch: "test/herbarium/none" }, into), {
    message: "Cannot set up the project: there is no branch test/herbarium/none",
    context: { next: [/git fetch origin/] },
  });
});
