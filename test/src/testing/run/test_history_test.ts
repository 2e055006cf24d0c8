import { join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import {
  listFolder,
  makeTempDir,
  mkdir,
  readTextFile,
  removeIfExists,
  writeTextFile,
} from "../../../../src/platform/files.ts";
import { historyKey, openTestHistory } from "../../../../src/testing/run/test_history.ts";

/** A folder for histories of its own. */
async function place(t: Pick<Test, "teardown">): Promise<string> {
  const folder = await makeTempDir({ prefix: "pth-history-test-" });
  const before = process.env.PTH_HISTORY_DIR;
  process.env.PTH_HISTORY_DIR = join(folder, "history");
  t.teardown(async () => {
    if (before === undefined) delete process.env.PTH_HISTORY_DIR;
    else process.env.PTH_HISTORY_DIR = before;
    await removeIfExists(folder);
  });
  return folder;
}

const plugin = { name: "shop", key: "/plugins/shop" };
const ended = (id: string, failures: number, runs = 1) => ({ id, digest: "d", runs, failures });
const histories = async (folder: string) =>
  (await listFolder(join(folder, "history"))).map(({ name }) => name);

t.test("what ended is known to the next session, oldest first", async (t) => {
  await place(t);
  const first = await openTestHistory(plugin);
  t.equal(first.lastFailed(), undefined, "no run is known");
  await first.add({ at: 1_700_000_000_001, source: "s1", outcomes: [ended("a", 1), ended("b", 0)] });
  await first.add({ at: 1_700_000_000_002, source: "s2", outcomes: [ended("a", 0)] });
  const next = await openTestHistory(plugin);
  t.match(next.of("a"), [
    { at: 1_700_000_000_001, mark: historyKey("s1", "d"), runs: 1, failures: 1 },
    { at: 1_700_000_000_002, mark: historyKey("s2", "d"), runs: 1, failures: 0 },
  ]);
  t.same(next.lastFailed(), [], "its latest run passed");
  t.same(
    (await openTestHistory({ name: "shop", key: "/elsewhere" })).of("a"),
    [],
    "another plugin's is its own",
  );
});

t.test("a test that was not run again since it failed is still one that failed", async (t) => {
  await place(t);
  const history = await openTestHistory(plugin);
  await history.add({ at: 1_700_000_000_001, source: "s", outcomes: [ended("a", 1), ended("b", 2, 3)] });
  await history.add({ at: 1_700_000_000_002, source: "s", outcomes: [ended("c", 0)] });
  t.same((await openTestHistory(plugin)).lastFailed(), ["a", "b"]);
});

t.test("runs at the same time both count", async (t) => {
  await place(t);
  const both = await Promise.all([openTestHistory(plugin), openTestHistory(plugin)]);
  await Promise.all(
    both.map((history, at) =>
      history.add({ at: 1_700_000_000_000, source: "s", outcomes: [ended("a", at)] })
    ),
  );
  const runs = (await openTestHistory(plugin)).of("a");
  t.equal(runs.length, 2);
  t.equal(runs.reduce((sum, { failures }) => sum + failures, 0), 1);
});

t.test("of each test the latest 50 runs are known, of each plugin 200 files are kept", async (t) => {
  const folder = await place(t);
  const history = await openTestHistory(plugin);
  for (let at = 0; at < 210; at++) {
    await history.add({ at: 1_700_000_000_000 + at, source: "s", outcomes: [ended("a", 0)] });
  }
  const [name] = await histories(folder);
  t.equal((await listFolder(join(folder, "history", name!))).length, 201, "the runs and what plugin it is");
  for (const known of [history, await openTestHistory(plugin)]) {
    t.equal(known.of("a").length, 50);
    t.equal(known.of("a").at(-1)!.at, 1_700_000_000_209);
  }
});

t.test("a file that cannot be understood costs its own run alone", async (t) => {
  const folder = await place(t);
  const history = await openTestHistory(plugin);
  await history.add({ at: 1_700_000_000_001, source: "s", outcomes: [ended("a", 1)] });
  const [name] = await histories(folder);
  const broken = ["{", "[]", "null", '{"version":2}', '{"version":1,"tests":{"a":7}}'];
  for (const [at, text] of broken.entries()) {
    await writeTextFile(join(folder, "history", name!, `170000000000${at + 2}-abc.json`), text);
  }
  t.equal((await openTestHistory(plugin)).of("a").length, 1);
});

t.test("what tells a plugin from others is not kept: a command or an address may hold a secret", async (t) => {
  const folder = await place(t);
  const history = await openTestHistory({ name: "server", key: "node server.js --token sesame-4711" });
  await history.add({ at: 1_700_000_000_000, source: "s", outcomes: [ended("a", 1)] });
  const [home] = await histories(folder);
  for (const { name } of await listFolder(join(folder, "history", home!))) {
    t.notMatch(await readTextFile(join(folder, "history", home!, name)), "sesame");
  }
  t.notMatch(home, "sesame");
});

t.test("what is half written or of another shape costs neither a run nor what others are to keep", async (t) => {
  const folder = await place(t);
  const first = await openTestHistory(plugin);
  const now = Date.now();
  await first.add({ at: now, source: "s", outcomes: [ended("a", 1)] });
  const [home] = await histories(folder);
  const write = (name: string, text: string) => writeTextFile(join(folder, "history", home!, name), text);
  await write(`${now + 1}-aaaa.json`, '{"version":1}');
  await write(`${now + 2}-bbbb.json`, '{"version":1,"source":"s","at":1,"tests":{"a":["d"],"b":null}}');
  await write("plugin.json", '{"name":');
  t.same((await openTestHistory(plugin)).lastFailed(), ["a"]);
  const other = await openTestHistory({ name: "other", key: "/other" });
  await other.add({ at: now, source: "s", outcomes: [ended("b", 0)] });
  t.equal((await histories(folder)).length, 2);
});

t.test("the history of a plugin that is gone goes when another one begins", async (t) => {
  const folder = await place(t);
  const home = join(folder, "gone");
  await mkdir(home);
  const gone = await openTestHistory({ name: "gone", key: home, folder: home });
  await gone.add({ at: Date.now(), source: "s", outcomes: [ended("a", 0)] });
  const old = await openTestHistory({ name: "old", key: "old" });
  await old.add({ at: 1_500_000_000_000, source: "s", outcomes: [ended("a", 0)] });
  await removeIfExists(home);
  await (await openTestHistory(plugin)).add({ at: Date.now(), source: "s", outcomes: [ended("a", 0)] });
  t.match(await histories(folder), [/^shop-/]);
});
