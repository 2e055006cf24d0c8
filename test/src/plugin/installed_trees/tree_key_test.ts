import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import t, { type Test } from "tap";
import { openConfined } from "../../../../src/platform/confined/open_confined.ts";
import { folderContent, treeKey } from "../../../../src/plugin/installed_trees/tree_key.ts";

async function contentOf(t: Test, files: Record<string, string>, link?: string) {
  const folder = await mkdtemp(join(tmpdir(), "pth-tree-key-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  if (link !== undefined) await symlink("/etc/hostname", join(folder, link));
  const content = await folderContent(openConfined(folder));
  return content && { key: treeKey(...content.parts), ownScripts: content.ownScripts };
}

const manifest = (more: object = {}) => JSON.stringify({ name: "p", dependencies: { d: "^1.0.0" }, ...more });
const lockfile = JSON.stringify({ packages: { "node_modules/d": { version: "1.0.0" } } });
const plain = { "package.json": manifest(), "package-lock.json": lockfile };

t.test("no two lists of parts have the same key", (t) => {
  t.not(treeKey("ab", "c"), treeKey("a", "bc"));
  t.not(treeKey("a", ""), treeKey("a"));
  t.match(treeKey("a"), /^[0-9a-f]{32}$/);
  t.end();
});

t.test("manifest and lockfile decide; source that no install reads does not", async (t) => {
  const first = await contentOf(t, plain);
  t.match(first, { ownScripts: false });
  t.same(await contentOf(t, { ...plain, "index.js": "other" }), first);
  t.not((await contentOf(t, { ...plain, "package.json": manifest({ version: "2.0.0" }) }))?.key, first?.key);
  t.not((await contentOf(t, { ...plain, "package-lock.json": `${lockfile} ` }))?.key, first?.key);
});

const running: Record<string, Record<string, string>> = {
  "a script of the plugin's own": { "package.json": manifest({ scripts: { prepare: "node build.js" } }) },
  "a script of a package": {
    "package-lock.json": JSON.stringify({ packages: { "node_modules/d": { hasInstallScript: true } } }),
  },
  "a file of settings, which may name programs": { ".npmrc": "script-shell=./sh" },
  "something to compile": { "binding.gyp": "{}" },
};
for (const [what, files] of Object.entries(running)) {
  t.test(`where an install runs ${what}, all of the source decides: a fork with other code has another key`, async (t) => {
    const one = await contentOf(t, { ...plain, ...files, "build.js": "1" });
    t.ok(one);
    t.same(await contentOf(t, { ...plain, ...files, "build.js": "1" }), one);
    t.not((await contentOf(t, { ...plain, ...files, "build.js": "2" }))?.key, one?.key);
    t.not((await contentOf(t, { ...plain, ...files, "lib/build.js": "1" }))?.key, one?.key);
    t.equal(await contentOf(t, { ...plain, ...files }, "link.js"), undefined, "a link is not followed");
  });
}

const refused: Record<string, Record<string, string>> = {
  "no lockfile": { "package.json": manifest() },
  "no manifest": { "package-lock.json": lockfile },
  "a broken manifest": { ...plain, "package.json": "{" },
  "a workspace": { ...plain, "package.json": manifest({ workspaces: ["parts/*"] }) },
  "a package in a folder": { ...plain, "package.json": manifest({ devDependencies: { e: "file:../e" } }) },
  "a package at a path": { ...plain, "package.json": manifest({ dependencies: { e: "./e" } }) },
  "a link in the lockfile": {
    ...plain,
    "package-lock.json": JSON.stringify({ packages: { "node_modules/e": { resolved: "e", link: true } } }),
  },
};
for (const [what, files] of Object.entries(refused)) {
  t.test(`a folder with ${what} has no key: more decides than can be read there`, async (t) => {
    t.equal(await contentOf(t, files), undefined);
  });
}
