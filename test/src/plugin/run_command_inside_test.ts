import { mkdir, realpath, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { folderSources, type PluginSources, textSources } from "../../../src/plugin/plugin_sources.ts";
import { runCommand } from "../../../src/platform/process.ts";
import {
  batchedReader,
  insideSources,
  pathsInside,
  type RunCommandInside,
  sourcesBelow,
  textsInside,
  unitedSources,
} from "../../../src/plugin/run_command_inside.ts";

async function place(t: Test) {
  const top = await realpath(t.testdir({
    canary: "secret",
    "own folder": { "a.js": "one\n", sub: { "b.js": "two" }, node_modules: { x: { "i.js": "theirs" } } },
  }));
  const folder = join(top, "own folder");
  let runs = 0;
  const counted: RunCommandInside = (command, options) => {
    runs++;
    return runCommand(command, options);
  };
  return { top, folder, at: (...path: string[]) => join(folder, ...path), run: counted, runs: () => runs };
}

t.test("files are read as they are, many at once", async (t) => {
  const { folder, run, runs } = await place(t);
  const texts = await textsInside(run, folder, ["a.js", "sub/b.js", "absent.js", "sub", "a.js"]);
  t.strictSame([...texts], [["a.js", "one\n"], ["sub/b.js", "two"]]);
  t.strictSame(await pathsInside(run, folder), ["a.js", "sub/b.js"]);
  t.equal(runs(), 2);
  const read = batchedReader(run, folder);
  t.strictSame(await Promise.all([read("a.js"), read("sub/b.js"), read("a.js")]), ["one\n", "two", "one\n"]);
  t.equal(await read("sub/b.js"), "two");
  t.equal(runs(), 3);
});

t.test("nothing outside of the folder is read, by no name and through no link", async (t) => {
  const { top, folder, at, run } = await place(t);
  await symlink(join(top, "canary"), at("file.js"));
  await symlink("../canary", at("relative.js"));
  await symlink(top, at("folder"));
  await symlink("a.js", at("own.js"));
  await symlink("sub", at("way"));
  const asked = [
    "file.js",
    "relative.js",
    "folder/canary",
    "../canary",
    join(top, "canary"),
    "sub/../../canary",
  ];
  const texts = await textsInside(run, folder, [...asked, "a\n../canary", "own.js", "way/b.js"]);
  t.strictSame([...texts], [["own.js", "one\n"], ["way/b.js", "two"]]);
  t.notMatch((await pathsInside(run, folder)).join(), /canary|file|folder/);
});

t.test("what is no file, or has no end, is no text and keeps nobody waiting", async (t) => {
  const { folder, at, run: inside } = await place(t);
  await runCommand(["mkfifo", at("fifo.js")]);
  await symlink("/dev/zero", at("zero.js"));
  await writeFile(at("huge.js"), "");
  await truncate(at("huge.js"), 2 ** 30);
  await mkdir(at("folder.js"));
  const started = performance.now();
  const asked = ["fifo.js", "zero.js", "huge.js", "folder.js", "a.js"];
  t.strictSame([...await textsInside(inside, folder, asked)], [["a.js", "one\n"]]);
  t.ok(performance.now() - started < 5000);
  const some = await textsInside(inside, folder, ["huge.js", "a.js"], { total: 1000 });
  t.strictSame([...some], [], "nothing is told of what comes behind the limit");
  const slow: RunCommandInside = (_command, { signal }) =>
    new Promise((_resolve, reject) => signal!.addEventListener("abort", () => reject(signal!.reason)));
  // A signal's own clock keeps no process alive.
  const alive = setTimeout(() => {}, 5000);
  await t.rejects(textsInside(slow, folder, ["a.js"], { timeoutMs: 50 }), { message: /more than 0.05 s/ });
  clearTimeout(alive);
});

t.test("what the host holds is believed before what the environment made", async (t) => {
  const { folder, at, run } = await place(t);
  await mkdir(at("dist"));
  await writeFile(at("dist/a.js"), "built");
  const inside = insideSources(run, folder);
  const united = unitedSources(textSources({ "a.js": "as committed" }), inside);
  t.strictSame(await united.list(), ["a.js"]);
  t.strictSame([await united.read("a.js"), await united.read("dist/a.js")], ["as committed", "built"]);
  t.strictSame(
    await unitedSources(textSources({}), inside).list(),
    ["a.js", "sub/b.js"],
    "of a folder without source",
  );
  t.strictSame(await inside.list(), await folderSources(folder).list(), "the same as on the host");
  const below = sourcesBelow(inside, "node_modules/it");
  t.strictSame(await below.list(), ["node_modules/it/a.js", "node_modules/it/sub/b.js"]);
  t.strictSame([await below.read("node_modules/it/a.js"), await below.read("a.js")], ["one\n", undefined]);
});

t.test("an environment that cannot be asked has no files, and is asked once", async (t) => {
  let asked = 0;
  const lost = (): Promise<never> => Promise.reject(new Error(`lost ${++asked}`));
  const gone: PluginSources = { list: lost, read: lost };
  const united = unitedSources(textSources({ "a.js": "held" }), gone);
  t.strictSame([await united.read("b.js"), await united.read("c.js"), await united.read("a.js")], [
    undefined,
    undefined,
    "held",
  ]);
  t.equal(asked, 1);
});
