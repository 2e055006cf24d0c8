import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import type { Test } from "tap";
import { type Living, type Part, rejectsWith, text } from "./context.ts";
import type { CopyLimits } from "../../../machines/model/environment_operations.ts";

/** copyIn, copyOut, mountSource: the source comes in one way. */
export const filesPart: Part = async (t, living) => {
  const { runtime, handle } = living;
  const here = await mkdtemp(join(tmpdir(), "pth contract "));
  t.teardown(() => rm(here, { recursive: true, force: true }));
  const inside = (await runtime.exec(handle, ["mktemp", "-d"])).stdout.trim();

  await t.test("a file goes in and comes out unchanged, with its mode and missing parents", async (t) => {
    const bytes = randomBytes(300_000);
    await writeFile(join(here, "a file.bin"), bytes);
    await chmod(join(here, "a file.bin"), 0o755);
    await runtime.copyIn(handle, join(here, "a file.bin"), `${inside}/new dir/b c.bin`);
    t.equal(await text(t, living, `stat -c %a '${inside}/new dir/b c.bin'`), "755");
    await runtime.copyOut(handle, `${inside}/new dir/b c.bin`, join(here, "deep er/out.bin"));
    t.ok(bytes.equals(await readFile(join(here, "deep er/out.bin"))));
    t.equal((await stat(join(here, "deep er/out.bin"))).mode & 0o777, 0o755);
  });

  await t.test("a folder goes in and comes out whole", async (t) => {
    await mkdir(join(here, "tree/sub dir"), { recursive: true });
    await writeFile(join(here, "tree/one.txt"), "1");
    await writeFile(join(here, "tree/sub dir/.two"), "2");
    await runtime.copyIn(handle, join(here, "tree"), `${inside}/tree copy`);
    t.equal(await text(t, living, `cd '${inside}/tree copy' && cat one.txt 'sub dir/.two'`), "12");
    await runtime.copyOut(handle, `${inside}/tree copy`, join(here, "tree out"));
    t.equal(await readFile(join(here, "tree out/sub dir/.two"), "utf8"), "2");
  });

  await t.test("a file replaces the one that was there", async (t) => {
    await writeFile(join(here, "v.txt"), "new");
    await text(t, living, `echo old and long >'${inside}/v.txt'`);
    await runtime.copyIn(handle, join(here, "v.txt"), `${inside}/v.txt`);
    t.equal(await text(t, living, `cat '${inside}/v.txt'`), "new");
  });

  await t.test("what is not there cannot be copied", async (t) => {
    await rejectsWith(t, runtime.copyIn(handle, join(here, "nothing"), `${inside}/x`), "COPY_FAILED");
    await rejectsWith(t, runtime.copyOut(handle, `${inside}/nothing`, join(here, "x")), "COPY_FAILED");
  });

  await t.test("what has no end, is too much or is no file is not copied out, and leaves nothing", async (t) => {
    const bad = `${inside}/bad`;
    await text(
      t,
      living,
      `mkdir -p ${bad}/many ${bad}/out ${bad}/deep ${bad}/fifos && cd ${bad} && mkfifo fifo fifos/one && ln -s /etc/passwd out/link && truncate -s 9G sparse &&
       for i in 1 2 3 4 5 6 7 8 9 10 11 12; do : >many/$i; done && echo x >hard && ln hard many/hard &&
       d=deep && for i in $(seq 140); do d=$d/n; done && mkdir -p $d && chmod 4755 hard`,
    );
    const out = join(here, "bounded");
    await mkdir(out);
    const refused = async (path: string, limits: CopyLimits, reason: RegExp) => {
      const started = Date.now();
      const error = await runtime.copyOut(handle, path, join(out, "x"), limits).then(() => undefined, String);
      t.match(error, reason, path);
      t.ok(Date.now() - started < 30_000, `${path} took ${Date.now() - started} ms`);
      t.strictSame(await readdir(out), [], `${path} leaves nothing`);
    };
    await refused("/dev/zero", {}, /device|character special/);
    await refused(`${bad}/fifo`, {}, /fifo/);
    await refused(`${bad}/fifos`, {}, /one is a fifo/);
    await refused(`${bad}/sparse`, {}, /larger than 1024 MB/);
    await refused(`${bad}/many`, { maxEntries: 5 }, /more than 5 files and folders/);
    await refused(`${bad}/out`, {}, /link is a link to \/etc\/passwd, out of what is copied/);
    await refused(`${bad}/deep`, {}, /nested deeper/);
    await runtime.copyOut(handle, `${bad}/out`, join(out, "kept"), { keepLinks: true });
    t.equal(await readlink(join(out, "kept/link")), "/etc/passwd");
    await runtime.copyOut(handle, `${bad}/hard`, join(out, "hard"));
    t.equal((await stat(join(out, "hard"))).mode & 0o7777, 0o755, "no setuid comes out");
    await mkdir(join(out, "target/many"), { recursive: true });
    await symlink(here, join(out, "target/many/1"));
    await runtime.copyOut(handle, `${bad}/many`, join(out, "target/many"));
    t.equal(
      (await stat(join(out, "target/many/1"))).size,
      0,
      "a link at the target is replaced, not followed",
    );
  });

  await t.test("a target that cannot be written says so", async (t) => {
    await writeFile(join(here, "v.txt"), "new");
    await rejectsWith(t, runtime.copyIn(handle, join(here, "v.txt"), "/proc/no/such"), "COPY_FAILED");
  });

  await sourcePart(t, living, here, inside);

  // Not every environment is thrown away: the host's is the host.
  await runtime.exec(handle, ["rm", "-rf", inside]);
};

/** Bringing a source in, and bringing it up to date. */
async function sourcePart(t: Test, living: Living, here: string, inside: string): Promise<void> {
  const { runtime, handle } = living;
  const source = join(here, "source");
  const envPath = `${inside}/a source`;
  const within = (script: string) => text(t, living, `cd '${envPath}' && ${script}`);
  const bring = () => runtime.mountSource(handle, source, envPath);
  await mkdir(join(source, "src/deep"), { recursive: true });
  await mkdir(join(source, "node_modules/brought along"), { recursive: true });
  await mkdir(join(source, ".git"));
  await writeFile(join(source, "src/one.txt"), "one");
  await writeFile(join(source, "src/deep/two\nlines.txt"), "two");
  await writeFile(join(source, "run.sh"), "echo run", { mode: 0o755 });
  await writeFile(join(source, "-n"), "no option");
  await writeFile(join(source, "node_modules/brought along/index.js"), "1");
  await symlink("src/one.txt", join(source, "link"));
  await mkdir(join(source, "packages"));
  await symlink("../src", join(source, "packages/node_modules"));
  await symlink("/etc/hostname", join(source, "away"));

  await t.test("a source comes in as it is, without its repository", async (t) => {
    t.match(await bring(), { method: "copy", hostPath: source, envPath, writable: true, latency: /\w/ });
    t.equal(
      await within(
        "cat link packages/node_modules/one.txt 'src/deep/two\nlines.txt' ./-n 'node_modules/brought along/index.js'",
      ),
      "oneonetwono option1",
    );
    t.equal(await within("./run.sh"), "run");
    t.equal(await within("readlink away"), "/etc/hostname");
    t.equal(await within("ls -A | grep -c '^.git$' || true"), "0");
  });

  await t.test("nothing that is done inside changes the source of the host", async (t) => {
    await within("echo changed >src/one.txt; rm run.sh; mkdir dist; echo built >dist/out; ln -sfn / link");
    t.equal(await readFile(join(source, "src/one.txt"), "utf8"), "one");
    t.same((await readdir(source)).sort(), [
      "-n",
      ".git",
      "away",
      "link",
      "node_modules",
      "packages",
      "run.sh",
      "src",
    ]);
  });

  await t.test("what changes on the host comes in, what is gone there goes, and what was made inside stays", async (t) => {
    await writeFile(join(source, "src/new.txt"), "new");
    await rm(join(source, "src/deep"), { recursive: true });
    await rm(join(source, "-n"));
    await within("mkdir -p src/deep/own && echo mine >src/deep/own/file");
    await bring();
    t.equal(
      await within("cat src/new.txt dist/out src/one.txt src/deep/own/file"),
      "newbuilt\nchanged\nmine",
    );
    t.equal(await within("ls -A src/deep; [ ! -e ./-n ] && echo gone"), "own\ngone");
  });

  await t.test("a file takes the place of a folder, a folder that of a link, and a link that of a file", async (t) => {
    await rm(join(source, "src"), { recursive: true });
    await writeFile(join(source, "src"), "a file now");
    await rm(join(source, "link"));
    await mkdir(join(source, "link"));
    await writeFile(join(source, "link/in it"), "deep");
    await rm(join(source, "run.sh"));
    await symlink("src", join(source, "run.sh"));
    await bring();
    t.equal(await within("cat src 'link/in it' run.sh"), "a file nowdeepa file now");
  });

  await t.test("what the environment put in a file's place makes way for the next edit", async (t) => {
    await within("rm src && mkdir -p src/dir && echo x >src/dir/file");
    await writeFile(join(source, "src"), "edited");
    await bring();
    t.equal(await within("cat src"), "edited");
  });

  await t.test("a source that is not there, or a place that cannot be, is told", async (t) => {
    await rejectsWith(t, runtime.mountSource(handle, join(here, "none"), envPath), "COPY_FAILED");
    await rejectsWith(t, runtime.mountSource(handle, source, "/proc/no/such"), "COPY_FAILED");
  });
}
