import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { type Part, rejectsWith, text } from "./context.ts";

/** copyIn, copyOut, mountSource, the shared source folder. */
export const filesPart: Part = async (t, living) => {
  const { runtime, handle, spec } = living;
  const here = await mkdtemp(join(tmpdir(), "pth contract "));
  t.teardown(() => rm(here, { recursive: true, force: true }));
  const inside = (await runtime.exec(handle, ["mktemp", "-d"])).stdout.trim();

  await t.test("the source folder is shared both ways at once", async (t) => {
    await writeFile(join(spec.sourcePath!, "from host.txt"), "hello");
    t.equal(await text(t, living, "cat 'from host.txt'"), "hello");
    await text(t, living, "echo back >'from inside.txt'");
    t.equal(await readFile(join(spec.sourcePath!, "from inside.txt"), "utf8"), "back\n");
    await text(t, living, "rm 'from inside.txt' 'from host.txt'");
  });

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

  await t.test("a target that cannot be written says so", async (t) => {
    await writeFile(join(here, "v.txt"), "new");
    await rejectsWith(t, runtime.copyIn(handle, join(here, "v.txt"), "/proc/no/such"), "COPY_FAILED");
  });

  await t.test("mountSource of the source says how it is shared", async (t) => {
    const mount = await runtime.mountSource(handle, spec.sourcePath!, handle.sourcePath);
    t.match(mount, { hostPath: spec.sourcePath!, envPath: handle.sourcePath, writable: true });
    t.match(mount.method, /\w/);
    t.match(mount.latency, /\w/);
  });

  await t.test("mountSource of another folder makes its files visible", async (t) => {
    await mkdir(join(here, "later"), { recursive: true });
    await writeFile(join(here, "later/x"), "seen");
    const mount = await runtime.mountSource(handle, join(here, "later"), `${inside}/later`);
    t.equal(await text(t, living, `cat '${mount.envPath}/x'`), "seen");
    t.match(mount.method, /\w/);
  });

  // Not every environment is thrown away: the host's is the host.
  await runtime.exec(handle, ["rm", "-rf", inside]);
};
