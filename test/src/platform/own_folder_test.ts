import { chmod, chown, lstat, mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import {
  makeOwnFolder,
  openOwnFolder,
  ownershipProblem,
  writeOwnText,
} from "../../../src/platform/own_folder.ts";

const asRoot = process.getuid?.() === 0 ? {} : { skip: "only root gives files to another user" };

async function place(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pth-own-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const modeOf = async (path: string) => ((await lstat(path)).mode & 0o777).toString(8);

t.test("what is made is its owner's alone, whatever the umask says", async (t) => {
  const top = await place(t);
  const before = process.umask(0);
  t.teardown(() => process.umask(before));
  await openOwnFolder(join(top, "a/b"), "c");
  await makeOwnFolder(join(top, "d/e"));
  await writeOwnText(join(top, "f/g/note.json"), "{}");
  for (const path of ["a", "a/b", "a/b/c", "d", "d/e", "f", "f/g"]) {
    t.equal(await modeOf(join(top, path)), "700", path);
  }
  t.equal(await modeOf(join(top, "f/g/note.json")), "600");
});

t.test("a folder that others can write to is refused, at every step of the way", async (t) => {
  const top = await place(t);
  for (const mode of [0o777, 0o1777, 0o770]) {
    const folder = join(top, `open-${mode.toString(8)}`);
    await mkdir(join(folder, "sessions"), { recursive: true });
    await chmod(folder, mode);
    await t.rejects(openOwnFolder(folder, "sessions"), {
      code: "INVALID_CONFIG",
      message: new RegExp(`open-${mode.toString(8)}: others may write to it \\(mode 0${mode.toString(8)}\\)`),
    });
  }
});

t.test("a file, or a link to one, is no folder", async (t) => {
  const top = await place(t);
  await writeFile(join(top, "file"), "");
  await symlink("file", join(top, "link"));
  await symlink("nowhere", join(top, "dangling"));
  for (const name of ["file", "link", "dangling"]) {
    t.equal(await ownershipProblem(join(top, name)), "it is no folder", name);
  }
  t.equal(await ownershipProblem(join(top, "absent")), undefined);
});

t.test("a link of one's own to a folder of one's own is followed", async (t) => {
  const top = await place(t);
  await mkdir(join(top, "real"), { mode: 0o700 });
  await symlink("real", join(top, "link"));
  t.equal(await ownershipProblem(join(top, "link")), undefined);
  await chmod(join(top, "real"), 0o777);
  t.match(await ownershipProblem(join(top, "link")), /others may write/);
});

t.test("what another user laid out is refused, links as well", asRoot, async (t) => {
  const top = await place(t);
  await mkdir(join(top, "theirs"), { mode: 0o700 });
  await chown(join(top, "theirs"), 65534, 65534);
  await mkdir(join(top, "mine"), { mode: 0o700 });
  await symlink("theirs", join(top, "my-link"));
  const { lchown } = await import("node:fs/promises");
  await symlink("mine", join(top, "their-link"));
  await lchown(join(top, "their-link"), 65534, 65534);
  await t.rejects(openOwnFolder(join(top, "theirs")), { message: /another user \(uid 65534\)/ });
  t.match(await ownershipProblem(join(top, "my-link")), /leads to a folder of another user/);
  t.match(await ownershipProblem(join(top, "their-link")), /belongs to another user/);
  await t.rejects(makeOwnFolder(join(top, "theirs/new")), { code: "INVALID_CONFIG" });
});

t.test("a new folder needs a place that is free, in a folder that keeps it", async (t) => {
  const top = await place(t);
  await chmod(top, 0o777);
  await t.rejects(makeOwnFolder(join(top, "new")), { message: /others may write to it/ });
  await chmod(top, 0o1777);
  await symlink("/tmp", join(top, "taken"));
  await t.rejects(makeOwnFolder(join(top, "taken")), { message: /something is there already/ });
  await makeOwnFolder(join(top, "new"));
  t.ok((await stat(join(top, "new"))).isDirectory());
});
