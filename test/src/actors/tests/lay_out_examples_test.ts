import { cp, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { layOutExamples } from "../../../../src/actors/tests/lay_out_examples.ts";
import { execLocally } from "../../../../src/runtimes/shared/exec_locally.ts";
import { allEnv } from "../../../../src/platform/host.ts";
import { giveEnvironment, liveSession } from "../live.ts";

/** Lays out what inputs name, for a server in `folder`, with commands that run here. */
async function layOut(folder: string, inputs: Record<string, unknown>[], isolated = false): Promise<void> {
  const { live } = liveSession();
  giveEnvironment(live, {
    abilities: { isolated } as never,
    exec: (_handle, words, options = {}) =>
      execLocally({ words, env: { PATH: allEnv().PATH ?? "" }, cwd: folder }, options),
    copyIn: (_handle, from, to) => cp(from, to, { recursive: true }),
  });
  Object.assign(live.environment.current!.info, { config: { network: "none" } });
  live.plugin.plan = {
    folder,
    server: { type: "stdio", command: ["server"], env: {}, cwd: folder },
  } as never;
  await layOutExamples(live, inputs);
}

t.test("files that inputs name are there before the tests, copies for tools that change them", async (t) => {
  const folder = t.testdir();
  await layOut(folder, [
    { path: "pth-files/example.json" },
    { path: "pth-files/edit-1/example.txt", to: "pth-files/edit-1/new.txt" },
    { folder: "pth-files/edit-2/folder", repository: "pth-files/commit-1/repository" },
  ]);
  const text = (path: string) => readFile(join(folder, "pth-files", path), "utf8");
  t.same(JSON.parse(await text("example.json")).name, "example");
  t.equal(await text("edit-1/example.txt"), await text("example.txt"));
  t.same(await readdir(join(folder, "pth-files/edit-1")), ["example.txt"], "what a tool makes is not there");
  t.equal(await text("commit-1/repository/.git/HEAD"), "ref: refs/heads/main\n");
  t.ok(await text("edit-2/folder/README.md"));
});

t.test("what earlier tests changed or left is as it was for the next ones", async (t) => {
  const folder = t.testdir();
  const inputs = [{ path: "pth-files/edit-1/example.txt" }];
  await layOut(folder, inputs);
  const path = join(folder, "pth-files/edit-1/example.txt");
  const before = await readFile(path, "utf8");
  await writeFile(path, "changed");
  await mkdir(join(folder, "pth-files/new.txt"));
  await layOut(folder, inputs);
  t.equal(await readFile(path, "utf8"), before);
  t.notOk((await readdir(join(folder, "pth-files"))).includes("new.txt"));
});

t.test("a link in their place is replaced, and what it leads to is left alone", async (t) => {
  const folder = t.testdir({ own: { "kept.txt": "mine" }, plugin: {} });
  const [own, plugin] = [join(folder, "own"), join(folder, "plugin")];
  await symlink(own, join(plugin, "pth-files"));
  await layOut(plugin, [{ path: "pth-files/example.txt" }]);
  await t.rejects(readlink(join(plugin, "pth-files")));
  t.same(await readdir(own), ["kept.txt"]);
});

t.test("nothing is laid out where no input asks, nor elsewhere on the user's machine", async (t) => {
  const folder = t.testdir({ plugin: {}, data: {} });
  const plugin = join(folder, "plugin");
  await layOut(plugin, [{ path: "example.txt" }, { path: `${folder}/data/pth-files/example.txt` }]);
  t.same([await readdir(plugin), await readdir(join(folder, "data"))], [[], []]);
  await layOut(plugin, [{ path: `${folder}/data/pth-files/example.txt` }], true);
  t.same(
    await readdir(join(folder, "data")),
    ["pth-files"],
    "an environment's own folders are another matter",
  );
  await rm(join(folder, "data"), { recursive: true });
});
