import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { ownFolders, ownFoldersOf } from "../../../../../src/runtimes/vm/sharing/own_folders.ts";
import { temporaryFolder } from "../../../../integration/temporary_folder.ts";

t.test("what is installed beside a manifest is a machine's own", (t) => {
  t.same(ownFolders(["package.json", "pyproject.toml", "requirements.txt", "native/Cargo.toml"], []), [
    ".venv",
    "native/target",
    "node_modules",
  ]);
  t.same(ownFolders([], []), []);
  t.end();
});

t.test("a workspace's members are installed from above, others by themselves", (t) => {
  t.same(ownFolders(["package.json", "packages/a/package.json"], []), ["node_modules"]);
  t.same(ownFolders(["a/package.json", "b/package.json", "b/c/package.json"], []), [
    "a/node_modules",
    "b/node_modules",
  ]);
  t.same(
    ownFolders(["package.json", "rust/Cargo.toml"], []),
    ["node_modules", "rust/target"],
    "of one kind only",
  );
  t.end();
});

t.test("what the source brought along is a machine's own wherever it lies; manifests in it do not count", async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, "vendored/node_modules/dep"), { recursive: true });
  await writeFile(join(folder, "vendored/node_modules/dep/package.json"), "{}");
  await mkdir(join(folder, "my app"));
  await writeFile(join(folder, "my app/setup.py"), "");
  await mkdir(join(folder, "odd/package.json"), { recursive: true });
  t.same(await ownFoldersOf(folder), ["my app/.venv", "vendored/node_modules"]);
});
