/** Install of a package that was installed before, beside npm with a full cache and `tar` alone. */
import { join } from "node:path";
import type { PluginPlan } from "../../machines/model/plugin.ts";
import { openConfined } from "../../src/platform/confined/open_confined.ts";
import { listFolder, makeTempDir, mkdir, removeIfExists, writeTextFile } from "../../src/platform/files.ts";
import { runCommand } from "../../src/platform/process.ts";
import { npmInstall } from "../../src/plugin/build_system.ts";
import { accessTo } from "../../src/plugin/environment_access.ts";
import { installPlugin } from "../../src/plugin/install_plugin.ts";
import { treeWays } from "../../src/plugin/installed_trees/tree_access.ts";
import { openTreeStore } from "../../src/plugin/installed_trees/tree_store.ts";
import { registry } from "../../src/runtimes/_registry.ts";
import type { RuntimeDefinition } from "../../src/runtimes/runtime.ts";
import { median, type Row } from "./table.ts";

const [name, rounds] = ["@modelcontextprotocol/server-everything", 5];
const manifest = JSON.stringify({ dependencies: { [name]: "latest" } });

export async function measureInstalledTrees(): Promise<Row[]> {
  const folder = await makeTempDir({ prefix: "pth-bench-trees-" });
  try {
    const plain = { tool: "npm, full cache", value: await npmAgain(folder) };
    const rows: Row[] = [];
    for (const definition of registry.filter((each) => ["host", "sandbox", "docker"].includes(each.name))) {
      if (!(await definition.probe()).ready) continue;
      const first = await installIn(definition, folder);
      const again: number[] = [];
      for (let round = 0; round < rounds; round++) again.push(await installIn(definition, folder));
      const what = `a package's install in ${definition.name}`;
      rows.push({ what: `${what}, the first`, value: first, unit: "ms" });
      rows.push({ what: `${what}, again`, value: median(again), unit: "ms", plain, target: "< 1,000 ms" });
    }
    if (rows.length > 0) {
      rows.push({
        what: "its tree unpacked by tar in the folder for temporary files",
        value: await tarAlone(folder),
        unit: "ms",
      });
    }
    return rows;
  } finally {
    await removeIfExists(folder);
  }
}

/** Milliseconds of npm on the host, where its cache has all packages. */
async function npmAgain(folder: string): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round <= 2; round++) {
    const cwd = join(folder, `npm-${round}`);
    await mkdir(cwd);
    await writeTextFile(join(cwd, "package.json"), manifest);
    const { code, stderr, durationMs } = await runCommand(["sh", "-c", npmInstall], { cwd });
    if (code !== 0) throw new Error(`Cannot measure the install: npm exited with ${code}\n${stderr}`);
    if (round > 0) taken.push(durationMs);
  }
  return median(taken);
}

/** Milliseconds that `tar` takes for a tree that was kept: what the file system takes for it. */
async function tarAlone(folder: string): Promise<number> {
  const kept = join(folder, "installs");
  const [key] = (await listFolder(kept)).map(({ name }) => name);
  const taken: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const cwd = join(folder, `tar-${round}`);
    await mkdir(cwd);
    const { code, stderr, durationMs } = await runCommand(["tar", "-xf", join(kept, key!, "tree.tar")], {
      cwd,
    });
    if (code !== 0) throw new Error(`Cannot measure the unpacking: tar exited with ${code}\n${stderr}`);
    taken.push(durationMs);
  }
  return median(taken);
}

/** Milliseconds of the step in an environment of its own. */
async function installIn(definition: RuntimeDefinition, folder: string): Promise<number> {
  const runtime = definition.create();
  const environmentId = `bench-${crypto.randomUUID()}`;
  const spec = { environmentId, sessionId: environmentId, tier: 1 as const, env: {}, resources: {} };
  const source = join(folder, "source");
  await mkdir(source, { recursive: true });
  await writeTextFile(join(source, "package.json"), manifest);
  const handle = await runtime.provision(spec);
  try {
    await runtime.mountSource(handle, source, handle.sourcePath);
    const plan: PluginPlan = {
      name,
      source: `npm:${name}`,
      folder: handle.sourcePath,
      build: { system: "npm", evidence: "package.json", install: npmInstall, toolchains: ["npm"] },
      server: { type: "stdio", command: [], env: {}, cwd: handle.sourcePath },
    };
    const trees = {
      store: openTreeStore(join(folder, "installs")),
      ...treeWays(runtime, handle),
      source: openConfined(source),
      reads: true,
      keeps: true,
    };
    return (await installPlugin(plan, accessTo(runtime, handle), { trees })).durationMs;
  } finally {
    await runtime.destroy(handle);
  }
}
