import { join } from "node:path";
import t, { type Test } from "tap";
import { makeTempDir, mkdir, removeIfExists, symlink, writeTextFile } from "../../../src/platform/files.ts";
import { listSourceFiles, makeSourceDigest } from "../../../src/session/list_source_files.ts";
import { runCommand } from "../../../src/platform/process.ts";

async function plugin(t: Pick<Test, "teardown">, { git = false } = {}): Promise<string> {
  const folder = await makeTempDir({ prefix: "pth-source-test-" });
  t.teardown(() => removeIfExists(folder));
  const files: Record<string, string> = {
    "package.json": "{}",
    "src/server.mjs": "one",
    "node_modules/x/index.js": "x",
    "logs/today.log": "hi",
    ".gitignore": "logs\nnode_modules\n",
    ".pth/tests/a.yaml": "name: a",
    ".pth/session-report.md": "old",
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeTextFile(join(folder, path), text);
  }
  if (git) await runCommand(["git", "init", "-q", folder]);
  return folder;
}

t.test("with git what is ignored is no source, without git caches are none", async (t) => {
  const known = [".gitignore", ".pth/tests/a.yaml", "package.json", "src/server.mjs"];
  t.same(await listSourceFiles(await plugin(t, { git: true }), "its own"), known);
  t.same(await listSourceFiles(await plugin(t)), [...known, "logs/today.log"].sort());
  t.same(
    await listSourceFiles(await plugin(t), "its own"),
    [...known, "logs/today.log"].sort(),
    "git knows nothing of it",
  );
});

t.test("the digest follows the source and nothing else", async (t) => {
  const folder = await plugin(t, { git: true });
  const digest = makeSourceDigest(folder, "its own");
  const before = await digest();
  await writeTextFile(join(folder, "logs/today.log"), "hi again");
  await writeTextFile(join(folder, ".pth/tests/a.yaml"), "name: b");
  t.equal(await digest(), before);
  await writeTextFile(join(folder, "src/server.mjs"), "other");
  const changed = await digest();
  t.not(changed, before);
  t.equal(await makeSourceDigest(folder, "its own")(), changed, "the same for whoever looks first");
  await writeTextFile(join(folder, "src/server.mjs"), "one");
  t.equal(await makeSourceDigest(folder, "its own")(), before);
  await removeIfExists(join(folder, "src/server.mjs"));
  t.not(await digest(), before, "a file that went counts, too");
});

t.test("links are not followed", async (t) => {
  const folder = await plugin(t);
  const elsewhere = await plugin(t);
  await symlink(elsewhere, join(folder, "outside"));
  await symlink(join(elsewhere, "nothing"), join(folder, "dangling"));
  const digest = makeSourceDigest(folder);
  const before = await digest();
  await writeTextFile(join(elsewhere, "src/server.mjs"), "other");
  t.equal(await digest(), before);
});
