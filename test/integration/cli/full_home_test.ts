/** `PTH_HOME` on a full disk: the error names the place and what to do, and nothing is left. Needs root, for the mount. */
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import { readDir, writeFile } from "../../../src/platform/files.ts";
import { noSmallDisks, smallDisk } from "../../support/small_disk.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { pth, root } from "../../support/pth.ts";

const server = `${process.execPath} run -A ${join(root, "test/fixtures/faulty_servers/faulty.mjs")}`;

const needs = { skip: await noSmallDisks(t) };

async function namesBelow(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, isDirectory } of readDir(folder)) {
    names.push(...(isDirectory ? await namesBelow(join(folder, name)) : [name]));
    if (isDirectory && /draft|-e1/.test(name)) names.push(name);
  }
  return names;
}

for (const runtime of ["host", "sandbox"]) {
  t.test(`a full PTH_HOME is told of in ${runtime}, and left as it was`, needs, async (t) => {
    const folder = await temporaryFolder(t);
    const home = join(folder, "home");
    await smallDisk(t, home, "64k");
    // What does not fit is cut off: the disk is full either way.
    await writeFile(join(home, "fill"), new Uint8Array(128 * 1024)).catch(() => {});
    const env = { PTH_HOME: home, PTH_WORKTREE_DIR: join(folder, "worktrees") };
    const { code, stderr } = await pth(["run", "--env", runtime, "--command", server], { env });
    t.equal(code, 3);
    t.match(stderr, /No space left on device|disk is full/);
    t.match(stderr, new RegExp(`${home}: 100% used`), "the place");
    t.match(stderr, /Next:/);
    t.notMatch(stderr, /not foreseen/);
    t.same((await namesBelow(folder)).filter((name) => name !== "fill"), []);
  });
}
