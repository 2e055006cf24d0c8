import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { thisProcess } from "../../../../src/platform/proc.ts";
import {
  cachedInstalls,
  openTreeStore,
  treeLimits,
} from "../../../../src/plugin/installed_trees/tree_store.ts";
import { treeKey } from "../../../../src/plugin/installed_trees/tree_key.ts";

const hour = 3600 * 1000;

async function makeStore(t: Test, limits: { maxBytes?: number; maxAgeMs?: number } = {}) {
  const folder = join(await mkdtemp(join(tmpdir(), "pth-trees-")), "installs");
  t.teardown(() => rm(join(folder, ".."), { recursive: true, force: true }));
  const clock = { now: 1_000_000_000_000 };
  const store = openTreeStore(folder, { maxBytes: 1000, maxAgeMs: hour, ...limits }, () => clock.now);
  const keep = (name: string, content = name, families: string[] = []) =>
    store.keep({ key: treeKey(name), name, families }, (path) => writeFile(path, content));
  const names = async () => (await readdir(folder)).sort();
  const find = (name: string) => store.find(treeKey(name));
  /** Content of an archive; undefined where it is refused. */
  const read = async (name: string, family?: string) => {
    let content = "";
    const take = async (archive: AsyncIterable<Uint8Array>) => {
      for await (const piece of archive) content += new TextDecoder().decode(piece);
    };
    return await store.read((await find(name))!, take, family) ? content : undefined;
  };
  return { folder, store, keep, names, clock, find, read };
}

t.test("a tree that was kept is found again, whole, and for its owner alone", async (t) => {
  const { keep, find, read, folder } = await makeStore(t);
  t.equal(await find("a"), undefined);
  await keep("a", "content");
  t.equal(await read("a"), "content");
  t.equal((await stat(folder)).mode & 0o777, 0o700);
  t.equal((await stat(join(folder, treeKey("a"), "tree.tar"))).mode & 0o777, 0o600);
});

t.test("an archive whose content was changed is refused, removed, and can be kept again", async (t) => {
  const { keep, find, read, names, folder } = await makeStore(t);
  const { key } = (await keep("a", "content"))!;
  await writeFile(join(folder, key, "tree.tar"), "poison!");
  t.equal(await read("a"), undefined);
  t.same(await names(), []);
  await keep("a", "content");
  t.match(await find("a"), { key });
});

t.test("an archive that is not read to its end is not taken, and one that cannot be taken stays if it is right", async (t) => {
  const { store, keep, find, names } = await makeStore(t);
  await keep("a", "content");
  const full = () => Promise.reject(new Error("the disk is full"));
  await t.rejects(store.read((await find("a"))!, full), { message: "the disk is full" });
  t.same(await names(), [treeKey("a")]);
  t.equal(await store.read((await find("a"))!, () => Promise.resolve()), false);
});

t.test("an entry without an archive, or with words that are none, counts as nothing and goes", async (t) => {
  const { keep, find, read, folder, names } = await makeStore(t);
  await keep("a");
  await rm(join(folder, treeKey("a"), "tree.tar"));
  t.equal(await read("a"), undefined);
  await mkdir(join(folder, treeKey("b")));
  await writeFile(join(folder, treeKey("b"), "tree.tar"), "half");
  await mkdir(join(folder, treeKey("c")));
  await writeFile(join(folder, treeKey("c"), "entry.json"), '{"key":');
  t.equal(await find("b"), undefined);
  t.equal(await find("c"), undefined);
  await keep("d");
  t.same(await names(), [treeKey("d")]);
});

t.test("an entry under the key of another is not taken for it", async (t) => {
  const { keep, find, folder } = await makeStore(t);
  await keep("a");
  await mkdir(join(folder, treeKey("b")));
  for (const file of ["tree.tar", "entry.json"]) {
    await writeFile(join(folder, treeKey("b"), file), await readFile(join(folder, treeKey("a"), file)));
  }
  t.equal(await find("b"), undefined);
});

t.test("what fails while it is kept leaves nothing, and what was there before stays", async (t) => {
  const { store, keep, read, names } = await makeStore(t);
  await keep("a", "before");
  const fill = async (path: string) => {
    await writeFile(path, "half of");
    throw new Error("the disk is full");
  };
  await t.rejects(store.keep({ key: treeKey("a"), name: "a", families: [] }, fill), {
    message: "the disk is full",
  });
  t.same(await names(), [treeKey("a")]);
  t.equal(await read("a"), "before");
});

t.test("what a killed process was making is no entry, and goes; what a living one makes stays", async (t) => {
  const { keep, folder, names } = await makeStore(t);
  await keep("a");
  const { pid, startTime = "" } = await thisProcess();
  const [dead, living] = [`.${pid}.1.${crypto.randomUUID()}`, `.${pid}.${startTime}.${crypto.randomUUID()}`];
  for (const name of [dead, living]) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, "tree.tar"), "half");
  }
  t.same(
    (await cachedInstalls(folder)).sort(),
    [dead, treeKey("a")].map((name) => join(folder, name)).sort(),
  );
  await keep("b");
  t.same(await names(), [living, treeKey("a"), treeKey("b")].sort());
});

t.test("the trees that were used longest ago make room, and a tree that takes too much of it is not kept", async (t) => {
  const { keep, find, read, clock } = await makeStore(t, { maxBytes: 1000 });
  for (const name of ["a", "b", "c", "d"]) {
    clock.now += 1000;
    await keep(name, "x".repeat(250));
  }
  clock.now += 1000;
  await read("a");
  await keep("e", "x".repeat(250));
  t.equal(await find("b"), undefined, "used longest ago");
  for (const name of ["a", "c", "d", "e"]) t.ok(await find(name), name);
  t.equal(await keep("f", "x".repeat(251)), undefined);
  t.equal(await find("f"), undefined);
});

t.test("a tree that is too old is not used, also not for want of a registry", async (t) => {
  const { store, keep, find, clock, names } = await makeStore(t, { maxAgeMs: hour });
  await keep("a", "a", ["latest"]);
  clock.now += hour + 1;
  t.equal(await find("a"), undefined);
  t.equal(await store.newestOf("latest"), undefined);
  await keep("b");
  t.same(await names(), [treeKey("b")]);
});

t.test("a request is answered by the tree that was made last of those that answered it before", async (t) => {
  const { store, keep, read, clock } = await makeStore(t);
  await keep("p@1", "1", ["p@latest"]);
  clock.now += 1000;
  await keep("p@2", "2");
  t.equal((await store.newestOf("p@latest"))?.name, "p@1");
  await read("p@2", "p@latest");
  t.equal((await store.newestOf("p@latest"))?.name, "p@2");
});

t.test("two that keep the same tree at the same time do not disturb each other", async (t) => {
  const { keep, read, names } = await makeStore(t);
  await Promise.all(["one", "two", "three"].map((content) => keep("a", content)));
  t.match(await read("a"), /^(one|two|three)$/);
  t.same(await names(), [treeKey("a")]);
});

t.test("limits come from the environment, and zero megabytes keep nothing", async (t) => {
  const before = { ...process.env };
  t.teardown(() => {
    for (const name of ["PTH_INSTALL_CACHE_MB", "PTH_INSTALL_CACHE_DAYS"]) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });
  process.env.PTH_INSTALL_CACHE_MB = "100";
  process.env.PTH_INSTALL_CACHE_DAYS = "no number";
  t.same(treeLimits(), { maxBytes: 100 * 1024 * 1024, maxAgeMs: 7 * 24 * hour });
  process.env.PTH_INSTALL_CACHE_MB = "0";
  t.equal(treeLimits().maxBytes, 0);
  const { keep, names } = await makeStore(t, { maxBytes: 0 });
  t.equal(await keep("a"), undefined);
  await t.rejects(names(), { code: "ENOENT" });
});
