import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { appendFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import type { PluginPlan } from "../../../machines/model/plugin.ts";
import { openConfined } from "../../../src/platform/confined/open_confined.ts";
import { isDeno } from "../../../src/platform/host.ts";
import { taggedPids } from "../../../src/platform/proc.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { npmInstall } from "../../../src/plugin/build_system.ts";
import { accessTo } from "../../../src/plugin/environment_access.ts";
import { installPlugin } from "../../../src/plugin/install_plugin.ts";
import { treeWays } from "../../../src/plugin/installed_trees/tree_access.ts";
import { treeKey } from "../../../src/plugin/installed_trees/tree_key.ts";
import { openTreeStore, treeFolder } from "../../../src/plugin/installed_trees/tree_store.ts";
import host from "../../../src/runtimes/host.ts";
import { createSandbox } from "../../../src/runtimes/sandbox.ts";
import { eventually } from "../../contracts/runtime/context.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

process.env.PTH_HOME = await temporaryFolder(t);
const version = "1.1.1";
const source = await temporaryFolder(t);
await writeFile(join(source, "package.json"), JSON.stringify({ dependencies: { picocolors: version } }));

/** Installs the package in a sandbox of its own, then runs a command there. */
async function installIn(command: string) {
  const runtime = createSandbox();
  const environmentId = `trees-${randomUUID()}`;
  const handle = await runtime.provision({
    environmentId,
    sessionId: environmentId,
    tier: 1,
    env: {},
    resources: {},
  });
  try {
    const env = accessTo(runtime, handle);
    await runtime.mountSource(handle, source, handle.sourcePath);
    const plan: PluginPlan = {
      name: "picocolors",
      source: `npm:picocolors@${version}`,
      folder: handle.sourcePath,
      build: { system: "npm", evidence: "package.json", install: npmInstall, toolchains: [] },
      server: { type: "stdio", command: ["true"], env: {}, cwd: handle.sourcePath },
    };
    const trees = {
      store: openTreeStore(),
      ...treeWays(runtime, handle),
      source: openConfined(source),
      reads: true,
      keeps: true,
    };
    const { plan: { version: installed }, skipped } = await installPlugin(plan, env, { trees });
    const { stdout } = await env.exec(["sh", "-c", command], { cwd: handle.sourcePath });
    return { installed, skipped, stdout };
  } finally {
    await runtime.destroy(handle);
  }
}

const digest = "find node_modules -type f ! -name '.pth*' | LC_ALL=C sort | xargs sha256sum";

t.test("a second sandbox gets what the first one installed, byte for byte, and no way to what is kept", async (t) => {
  const first = await installIn(digest);
  t.match(first, { installed: version, skipped: undefined });
  t.match(first.stdout, /picocolors\.js/);
  const [key] = await readdir(treeFolder());
  const second = await installIn(`${digest}; [ ! -e "${treeFolder()}/${key}" ] || echo reachable; ls -A`);
  t.equal(second.skipped, `picocolors@${version} installed from cache`);
  t.ok(second.stdout.startsWith(first.stdout));
  t.notMatch(second.stdout, /reachable|\.pth-tree|\.pth-install/);

  await appendFile(join(treeFolder(), key!, "tree.tar"), "poison");
  const third = await installIn(digest);
  t.equal(third.skipped, undefined, "a changed archive is not unpacked");
  t.equal(third.stdout, first.stdout);
});

/** Starts a program of this folder, and kills it once it has said something: that is returned. */
async function killedOnceItSays(t: Test, program: string, args: string[]): Promise<string> {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const words = [...(isDeno ? ["run", "-A"] : process.execArgv), file, ...args];
  const owner = spawn(process.execPath, words);
  let said = "";
  let failed = "";
  owner.stdout.on("data", (chunk) => said += chunk);
  owner.stderr.on("data", (chunk) => failed += chunk);
  t.ok(await eventually(() => Promise.resolve(said.includes("\n")), 60_000), failed);
  owner.kill("SIGKILL");
  await once(owner, "exit");
  return said.trim();
}

t.test("kill -9 while a tree is kept leaves no entry, and the next one that is kept clears it away", async (t) => {
  const [folder, key] = [join(await temporaryFolder(t), "installs"), treeKey("killed")];
  await killedOnceItSays(t, "./keeping_process.ts", [folder, key]);
  const store = openTreeStore(folder);
  t.equal(await store.find(key), undefined);
  t.equal((await readdir(folder)).length, 1, "the half of it");
  await store.keep({ key, name: "p@1.0.0", families: [] }, (path) => writeFile(path, "all of it"));
  t.same(await readdir(folder), [key]);
});

t.test("kill -9 while a tree is put back leaves what is kept, and an environment that pth clean removes", async (t) => {
  const [folder, key] = [join(await temporaryFolder(t), "installs"), treeKey("killed")];
  const made = await temporaryFolder(t);
  await mkdir(join(made, "node_modules"));
  await writeFile(join(made, "node_modules/a"), "x".repeat(1_000_000));
  const store = openTreeStore(folder);
  await store.keep({ key, name: "p@1.0.0", families: [] }, async (path) => {
    await runCommand(["tar", "-C", made, "-cf", path, "node_modules"]);
  });
  const inside = await killedOnceItSays(t, "./restoring_process.ts", [folder, key]);
  const left = async () => (await taggedPids("PTH_ENVIRONMENT", "restoring")).length;
  t.ok(await eventually(async () => await left() === 0), "what unpacks ends by itself");
  t.same(await readdir(inside), [".pth-tree-aside"], "and nothing is in its place");
  const [scratch, ...more] = (await host.leftovers()).filter(({ sessionId }) => sessionId === "killed");
  t.same(more, []);
  await scratch?.remove();
  await t.rejects(readdir(inside), { code: "ENOENT" });
  let bytes = 0;
  const take = async (archive: AsyncIterable<Uint8Array>) => {
    for await (const piece of archive) bytes += piece.length;
  };
  t.ok(await store.read((await store.find(key))!, take));
  t.ok(bytes > 1_000_000);
});
