import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { appendFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import t from "tap";
import type { PluginPlan } from "../../../machines/model/plugin.ts";
import { openConfined } from "../../../src/platform/confined/open_confined.ts";
import { isDeno } from "../../../src/platform/host.ts";
import { npmInstall } from "../../../src/plugin/build_system.ts";
import { accessTo } from "../../../src/plugin/environment_access.ts";
import { installPlugin } from "../../../src/plugin/install_plugin.ts";
import { treeWays } from "../../../src/plugin/installed_trees/tree_access.ts";
import { treeKey } from "../../../src/plugin/installed_trees/tree_key.ts";
import { openTreeStore, treeFolder } from "../../../src/plugin/installed_trees/tree_store.ts";
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

t.test("kill -9 while a tree is kept leaves no entry, and the next one that is kept clears it away", async (t) => {
  const [folder, key] = [join(await temporaryFolder(t), "installs"), treeKey("killed")];
  const file = fileURLToPath(new URL("./keeping_process.ts", import.meta.url));
  const words = [...(isDeno ? ["run", "-A"] : process.execArgv), file, folder, key];
  const owner = spawn(process.execPath, words);
  let said = "";
  for (const stream of [owner.stdout, owner.stderr]) stream.on("data", (chunk) => said += chunk);
  t.ok(await eventually(() => Promise.resolve(said.includes("writing")), 60_000), said);
  owner.kill("SIGKILL");
  await once(owner, "exit");
  const store = openTreeStore(folder);
  t.equal(await store.find(key), undefined);
  t.equal((await readdir(folder)).length, 1, "the half of it");
  await store.keep({ key, name: "p@1.0.0", families: [] }, (path) => writeFile(path, "all of it"));
  t.same(await readdir(folder), [key]);
});
