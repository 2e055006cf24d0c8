/** Archives that somebody made to harm: each is refused with its reason, and nothing of it stays. */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import tar, { type Headers } from "tar-stream";
import t, { type Test } from "tap";
import { guardedStream, saveTo, unpackTo } from "../../../../src/runtimes/shared/unpack.ts";
import { rejection } from "../../session/helpers.ts";

const action = "Cannot copy it";

async function place(t: Test) {
  const top = await mkdtemp(join(tmpdir(), "pth unpack "));
  t.teardown(() => rm(top, { recursive: true, force: true }));
  await mkdir(join(top, "here"));
  await writeFile(join(top, "canary"), "alive");
  return { top, here: join(top, "here"), to: join(top, "here/x") };
}

type Entry = Headers & { text?: string };

function archive(...entries: Entry[]): NodeJS.ReadableStream {
  const pack = tar.pack();
  for (const { text = "", ...header } of entries) pack.entry(header, text);
  pack.finalize();
  return pack;
}

const folder = (name: string, mode = 0o755): Entry => ({ name, type: "directory", mode });

t.test("files, folders, hard links and links within come out with their permissions", async (t) => {
  const { to } = await place(t);
  await unpackTo(
    archive(
      folder("a", 0o555),
      { name: "a/one", text: "1", mode: 0o4750, mtime: new Date(1000) },
      { name: "a/two", type: "link", linkname: "a/one" },
      { name: "a/three", type: "symlink", linkname: "./one" },
      { name: "./a/one", text: "again", mode: 0o640 },
    ),
    to,
    { action },
  );
  t.strictSame((await readdir(to)).sort(), ["one", "three", "two"]);
  t.equal(await readFile(join(to, "three"), "utf8"), "again");
  t.equal(await readFile(join(to, "two"), "utf8"), "1", "a hard link is a file of its own");
  t.equal((await stat(join(to, "one"))).mode & 0o7777, 0o640);
  t.equal((await stat(join(to, "two"))).mode & 0o7777, 0o750, "without setuid");
  t.equal((await stat(to)).mode & 0o777, 0o755, "folders stay usable");
});

t.test("what leads out, has no end or is no file is refused with its reason", async (t) => {
  const { here, to, top } = await place(t);
  const cases: [Entry[], RegExp][] = [
    [[{ name: "a/../../canary", text: "dead" }], /leads out of it/],
    [
      [folder("a"), { name: "a/s", type: "symlink", linkname: "../../canary" }],
      /s is a link to .*out of what/,
    ],
    [[folder("a"), { name: "a/s", type: "symlink", linkname: "/etc" }], /s is a link to \/etc, out of what/],
    [[{ name: "a", type: "symlink", linkname: "/etc" }], /it is a link to \/etc/],
    [[
      folder("a"),
      folder("a/b"),
      { name: "a/e", type: "symlink", linkname: "b/.." },
      { name: "a/s", type: "symlink", linkname: "e/../x" },
    ], /s is a link to .*out of what/],
    [[folder("a"), { name: "a/h", type: "link", linkname: "a/none" }], /hard link to what is not copied/],
    [[folder("a"), { name: "a/h", type: "link", linkname: "../../../canary" }], /leads out of it/],
    [[folder("a"), { name: "a/f", type: "fifo" }], /a\/f is a fifo/],
    [[folder("a"), { name: "a/d", type: "character-device" }], /a\/d is a character device/],
    [["x".repeat(11).split("").map((_, i) => ({ name: `a/${i}`, text: "" }))].flat(), /more than 10 files/],
    [[{ name: "a/big", text: "x".repeat(2000) }], /larger than 1000 bytes/],
    [
      [{ name: "a/1", text: "x".repeat(600) }, { name: "a/2", text: "x".repeat(600) }],
      /larger than 1000 bytes/,
    ],
    [[{ name: "a/1", text: "x".repeat(600) }, { name: "a/2", type: "link", linkname: "a/1" }], /larger than/],
    [[{ name: "n/".repeat(150) + "x", text: "" }], /nested deeper than 128/],
  ];
  for (const [entries, reason] of cases) {
    const work = unpackTo(archive(...entries), to, { action, maxBytes: 1000, maxEntries: 10 });
    t.match(await rejection(work), { code: "COPY_FAILED", message: reason }, String(reason));
    t.strictSame(await readdir(here), [], "nothing stays");
  }
  t.equal(await readFile(join(top, "canary"), "utf8"), "alive");
});

t.test("a size that is only said does not fill the disk, nor a header the memory", async (t) => {
  const { here, to } = await place(t);
  const huge = tar.pack();
  huge.entry({ name: "a", size: 9e12 });
  t.match(await rejection(unpackTo(huge, to, { action })), { message: /larger than 1024 MB/ });
  const header = tar.pack();
  header.entry({ name: "x", type: "pax-header" as Headers["type"], size: 8e9 } as Headers);
  const bytes = (async function* () {
    yield header.read() as Uint8Array;
    for (;;) yield new Uint8Array(65536).fill(65);
  })();
  t.match(await rejection(unpackTo(Readable.from(bytes), to, { action })), {
    message: /headers of more than 4 MB/,
  });
  const zero = (function* () {
    for (;;) yield new Uint8Array(65536);
  })();
  t.match(await rejection(saveTo(Readable.from(zero), to, 0o644, { action, maxBytes: 1e6 })), {
    message: /larger than 1000000 bytes/,
  });
  const zeros = (function* () {
    for (;;) yield new Uint8Array(65536);
  })();
  t.match(await rejection(unpackTo(Readable.from(zeros), to, { action })), { code: "COPY_FAILED" });
  t.match(await rejection(unpackTo(Readable.from([new Uint8Array(100)]), to, { action })), {
    code: "COPY_FAILED",
  });
  t.strictSame(await readdir(here), []);
});

t.test("a source that says nothing is given up", async (t) => {
  const { stream } = guardedStream({ action }, 50);
  const error = new Promise((resolve) => stream.on("error", resolve));
  new PassThrough().pipe(stream);
  t.match(await error, { code: "COPY_FAILED", message: /nothing came for/ });
});

t.test("contents join a folder that is there, through no link in it", async (t) => {
  const { to, top } = await place(t);
  await mkdir(join(to, "sub"), { recursive: true });
  await symlink(join(top, "canary"), join(to, "one"));
  await symlink(top, join(to, "out"));
  await unpackTo(archive(folder("a"), { name: "a/one", text: "1" }, { name: "a/sub/two", text: "2" }), to, {
    action,
  });
  t.equal(await readFile(join(to, "one"), "utf8"), "1");
  t.equal(await readFile(join(to, "sub/two"), "utf8"), "2");
  const through = unpackTo(
    archive(folder("a"), { name: "a/new", text: "3" }, { name: "a/out/canary", text: "dead" }),
    to,
    {
      action,
    },
  );
  t.match(await rejection(through), { code: "COPY_FAILED" });
  t.equal(await readFile(join(top, "canary"), "utf8"), "alive");
  t.notOk((await readdir(to)).includes("new"), "nothing is moved where something is in the way");
});
