// What a guest sends is not believed: nothing outside the folder is written, moved or removed.
import { chmod, lstat, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import {
  listHost,
  packHost,
  removeOnHost,
  unpackOnHost,
} from "../../../../../src/runtimes/vm/sharing/host_side.ts";
import { temporaryFolder } from "../../../../integration/temporary_folder.ts";

async function places(t: Test) {
  const all = await temporaryFolder(t);
  const [here, guest, outside] = [join(all, "here"), join(all, "guest"), join(all, "outside")];
  for (const folder of [here, guest, outside]) await mkdir(folder);
  await writeFile(join(outside, "secret"), "untouched");
  return { here, guest, outside };
}

t.test("files, links, modes and folders arrive", async (t) => {
  const { here, guest } = await places(t);
  await mkdir(join(guest, "a b"));
  await writeFile(join(guest, "a b/run"), "x");
  await chmod(join(guest, "a b/run"), 0o755);
  await symlink("a b/run", join(guest, "link"));
  const paths = [...(await listHost(guest, [])).keys()].sort();
  await unpackOnHost(here, paths, await packHost(guest, paths));
  const [there, brought] = [await listHost(guest, []), await listHost(here, [])];
  t.same(
    [...brought.values()].map(({ what }) => what).sort(),
    [...there.values()].map(({ what }) => what).sort(),
  );
});

t.test("neither a link on the host nor one in the archive is followed", async (t) => {
  const { here, guest, outside } = await places(t);
  await symlink(outside, join(here, "way"));
  await mkdir(join(guest, "way"));
  await writeFile(join(guest, "way/secret"), "overwritten");
  await unpackOnHost(here, ["way/secret"], await packHost(guest, ["way/secret"]));
  t.equal(await readFile(join(outside, "secret"), "utf8"), "untouched");
  await removeOnHost(here, ["way/secret"]);
  t.equal(await readFile(join(outside, "secret"), "utf8"), "untouched");

  await symlink(outside, join(guest, "out"));
  await unpackOnHost(here, ["out", "out/secret"], await packHost(guest, ["out"]));
  t.ok((await lstat(join(here, "out"))).isSymbolicLink(), "a link is brought as one");
  t.equal(await readFile(join(outside, "secret"), "utf8"), "untouched", "what it leads to is not moved");
  await removeOnHost(here, ["out"]);
  t.equal(await readFile(join(outside, "secret"), "utf8"), "untouched");
});

t.test("a program that would run as its owner arrives as one that does not", async (t) => {
  const { here, guest } = await places(t);
  await writeFile(join(guest, "rise"), "x");
  await chmod(join(guest, "rise"), 0o6755);
  await unpackOnHost(here, ["rise"], await packHost(guest, ["rise"]));
  t.equal((await lstat(join(here, "rise"))).mode & 0o7777, 0o755);
});

t.test("a file takes a folder's place, and a folder a file's", async (t) => {
  const { here, guest } = await places(t);
  await mkdir(join(here, "one/deep"), { recursive: true });
  await writeFile(join(here, "two"), "file");
  await writeFile(join(guest, "one"), "file");
  await mkdir(join(guest, "two"));
  await unpackOnHost(here, ["one", "two"], await packHost(guest, ["one", "two"]));
  t.equal(await readFile(join(here, "one"), "utf8"), "file");
  t.ok((await lstat(join(here, "two"))).isDirectory());
});
