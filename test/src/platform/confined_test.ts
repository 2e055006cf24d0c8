// test: timeout=60
/** Paths that cannot be trusted, also while somebody swaps folders for links beside every call. */
import { execFileSync, spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import { openConfined } from "../../../src/platform/confined/open_confined.ts";
import { rejection } from "../session/helpers.ts";

async function world(t: Test) {
  const top = await mkdtemp(join(tmpdir(), "pth confined "));
  t.teardown(() => rm(top, { recursive: true, force: true }));
  const [root, outside] = [join(top, "root"), join(top, "outside")];
  await mkdir(join(root, "a/b"), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, "canary"), "alive");
  return { top, root, outside, folder: openConfined(root) };
}

t.test("files and folders are written, listed, changed, moved and removed by their path below the root", async (t) => {
  const { root, folder } = await world(t);
  await folder.write("new/deep/x.txt", "one");
  await folder.write("./new//deep/x.txt", "two", { mode: 0o750 });
  t.equal(await folder.readText("new/deep/x.txt"), "two");
  t.match(await folder.stat("new/deep/x.txt"), { kind: "file", size: 3, mode: 0o750 });
  await folder.chmod("new/deep/x.txt", 0o600);
  t.equal((await stat(join(root, "new/deep/x.txt"))).mode & 0o777, 0o600);
  t.strictSame(await folder.list("new/deep"), [{ name: "x.txt", kind: "file" }], "no draft is left");
  await folder.rename("new/deep/x.txt", "other/y.txt");
  await folder.removeEmptyParents("new/deep/x.txt");
  t.strictSame((await folder.list("")).map(({ name }) => name), ["a", "other"]);
  await folder.mkdir("other/m/n");
  await folder.remove("other");
  await folder.remove("other");
  t.equal(await folder.stat("other"), undefined);
  t.match(await folder.stat(""), { kind: "folder" });
  t.equal(await folder.read("a/none"), undefined);
  t.equal(await folder.read("none/x"), undefined);
  t.strictSame(await folder.list("none"), []);
});

t.test("a path that is no path below the root is refused, and says why", async (t) => {
  const { root, folder, outside } = await world(t);
  await writeFile(join(root, "file"), "x");
  await symlink(outside, join(root, "a/out"));
  await symlink(join(outside, "canary"), join(root, "a/canary"));
  execFileSync("mkfifo", [join(root, "fifo")]);
  const cases: [string, RegExp][] = [
    ["../outside/canary", /leads out of the folder/],
    ["a/../../outside/canary", /leads out of the folder/],
    [join(outside, "canary"), /is absolute/],
    ["a\0b", /NUL/],
    ["a/out/canary", /a\/out is a symbolic link to/],
    ["a/canary", /a\/canary is a symbolic link/],
    ["fifo", /fifo is a fifo/],
    ["", /is the folder itself/],
  ];
  for (const [path, message] of cases) {
    t.match(await rejection(folder.write(path, "x")), { code: "PATH_REFUSED", message }, `write ${path}`);
    t.match(await rejection(folder.read(path)), { code: "PATH_REFUSED", message }, `read ${path}`);
  }
  t.match(await rejection(folder.write("file/x", "x")), { message: /file is a file, no folder/ });
  t.match(await rejection(folder.write("a", "x")), { message: /a is a folder/ });
  t.match(await rejection(folder.remove("a/out/canary")), { code: "PATH_REFUSED" });
  t.match(await rejection(folder.rename("file", "a/out/file")), { code: "PATH_REFUSED" });
  t.match(await rejection(folder.mkdir("a/out/new")), { code: "PATH_REFUSED" });
  t.match(await rejection(folder.chmod("a/canary", 0o777)), { code: "PATH_REFUSED" });
  t.match(await rejection(folder.list("a/out")), { code: "PATH_REFUSED" });
  t.match(await rejection(folder.write("s", "x", { mode: 0o4755 })), { message: /setuid/ });
  t.match(await rejection(folder.chmod("file", 0o4755)), { message: /setuid/ });
  t.match(await rejection(folder.read("file", { maxBytes: 0 })), { message: /larger than 0 bytes/ });
  t.strictSame(await readdir(outside), ["canary"]);
  await folder.write("a/canary", "mine", { replace: true });
  t.equal(await readFile(join(outside, "canary"), "utf8"), "alive", "the link is replaced, not followed");
  await folder.remove("a");
  t.equal(await readFile(join(outside, "canary"), "utf8"), "alive", "links are removed, not followed");
});

t.test("a device is not read; what grows without end is cut off by the limit", async (t) => {
  const devices = openConfined("/dev");
  t.match(await rejection(devices.read("zero")), { message: /zero is a device/ });
  const kernel = openConfined("/proc/self");
  t.ok((await kernel.read("status"))!.length > 100, "files without a size are read whole");
  t.match(await rejection(kernel.read("status", { maxBytes: 10 })), { message: /larger than 10 bytes/ });
});

t.test("links that stay within the root can be followed where that is asked for", async (t) => {
  const { root, folder, outside } = await world(t);
  await writeFile(join(root, "a/b/text"), "text");
  await symlink("a/b", join(root, "short"));
  await symlink("../short/text", join(root, "a/text"));
  await symlink(join(root, "a"), join(root, "absolute"));
  await symlink("circle", join(root, "circle"));
  await symlink("a/../../outside", join(root, "sly"));
  await symlink(outside, join(root, "out"));
  const follow = { followWithin: true };
  for (const path of ["a/text", "short/text", "absolute/b/text"]) {
    t.equal(await folder.readText(path, follow), "text", path);
    t.match(await rejection(folder.readText(path)), { code: "PATH_REFUSED" });
  }
  t.match(await folder.stat("short", follow), { kind: "folder" });
  t.strictSame(await folder.list("short", follow), [{ name: "text", kind: "file" }]);
  t.equal(await folder.readText("a/none", follow), undefined);
  for (const path of ["circle", "sly/canary", "out/canary"]) {
    t.match(await rejection(folder.readText(path, follow)), { code: "PATH_REFUSED" }, path);
  }
});

t.test("files are copied from one such folder to another, links are not", async (t) => {
  const { root, folder, top } = await world(t);
  const other = openConfined(join(top, "outside"));
  await writeFile(join(root, "big"), new Uint8Array(3_000_000).fill(7));
  await chmod(join(root, "big"), 0o4755);
  t.equal(await other.copyFrom(folder, "big", "x/big"), true);
  t.match(await other.stat("x/big"), { size: 3_000_000, mode: 0o755 });
  t.equal(await other.copyFrom(folder, "none", "x/none"), false);
  await symlink("big", join(root, "link"));
  t.match(await rejection(other.copyFrom(folder, "link", "x/link")), { code: "PATH_REFUSED" });
});

t.test("folders deeper than any path can be named are removed", async (t) => {
  const { root, folder } = await world(t);
  execFileSync("sh", [
    "-c",
    "d=dddddddddddddddddddddddddddddddddddddddddddddddddd; i=0; while [ $i -lt 300 ]; do mkdir $d && cd -P ./$d; i=$((i+1)); done; : > leaf",
  ], {
    cwd: join(root, "a"),
  });
  await folder.remove("a");
  t.strictSame(await readdir(root), []);
});

t.test("while folders are swapped for links in a loop, nothing outside the root is read or written", async (t) => {
  const { root, outside, folder } = await world(t);
  await mkdir(join(outside, "b"));
  await writeFile(join(outside, "b/secret"), "secret");
  const before = (await stat(join(outside, "b/secret"))).mtimeMs;
  await symlink(outside, join(root, "evil"));
  const swap = `
    const fs = require("node:fs"), { join } = require("node:path"), root = ${JSON.stringify(root)};
    const a = join(root, "a"), evil = join(root, "evil"), kept = join(root, "kept");
    const pause = () => {
      const until = process.hrtime.bigint() + BigInt(Math.floor(Math.random() * 500_000));
      while (process.hrtime.bigint() < until);
    };
    console.log("ready");
    for (;;) {
      try {
        fs.renameSync(a, kept); fs.renameSync(evil, a); pause(); fs.renameSync(a, evil); fs.renameSync(kept, a); pause();
      } catch { /* The other side removed something just now. */ }
    }`;
  const racer = spawn(process.env.PTH_TEST_NODE ?? "node", ["-e", swap], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.teardown(() => racer.kill("SIGKILL"));
  await new Promise((resolve) => racer.stdout.once("data", resolve));
  let refusals = 0;
  let written = 0;
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
      written++;
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === "PATH_REFUSED") refusals++;
      else if (code !== "ENOENT" && code !== "EEXIST" && code !== "ENOTDIR") throw error;
    }
  };
  const end = Date.now() + 30_000;
  for (let round = 0; (round < 1500 || refusals < 50) && Date.now() < end; round++) {
    await attempt(() => folder.write(`a/b/f${round % 50}`, "x"));
    await attempt(async () => t.not(await folder.readText("a/b/secret"), "secret"));
    await attempt(async () => t.not(await folder.readText("a/b/secret", { followWithin: true }), "secret"));
    await attempt(() => folder.chmod("a/b/secret", 0o777));
    await attempt(() => folder.mkdir(`a/b/g${round % 50}/h`));
    await attempt(() => folder.remove("a/b/secret"));
    await attempt(() => folder.remove(round % 2 ? `a/b/f${(round + 25) % 50}` : `a/b/g${(round + 25) % 50}`));
  }
  racer.kill("SIGKILL");
  t.ok(refusals >= 50, `${refusals} times the link was in the way`);
  t.ok(written > 1000, `${written} times the folder was`);
  t.strictSame(await readdir(join(outside, "b")), ["secret"]);
  t.strictSame((await readdir(outside)).sort(), ["b", "canary"]);
  const after = await stat(join(outside, "b/secret"));
  t.equal(await readFile(join(outside, "b/secret"), "utf8"), "secret");
  t.equal(after.mtimeMs, before);
  t.not(after.mode & 0o777, 0o777);
});
