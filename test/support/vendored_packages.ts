/** What a fixture depends on, as archives in its own folder: npm installs them without its registry, in any environment. */
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { useEsbuild } from "../../src/platform/use_esbuild.ts";
import { runCommand } from "../../src/platform/process.ts";
import { root } from "./root.ts";

const vendored = new Map<string, Promise<Uint8Array>>();

/** Puts archives in the place of what the fixture's `package.json` names; esbuild takes the compiler's place. */
export async function vendorPackages(plugin: string): Promise<void> {
  const file = join(plugin, "package.json");
  const manifest = JSON.parse(await readFile(file, "utf8"));
  const imported = await importedModules(plugin);
  const add = async (name: string, key: string, make: () => Promise<Uint8Array>) => {
    if (!vendored.has(key)) vendored.set(key, make());
    const archive = `${name.replace("@", "").replace("/", "-")}.tgz`;
    await writeFile(join(plugin, archive), await vendored.get(key)!);
    return `file:${archive}`;
  };
  for (const name of Object.keys(manifest.dependencies)) {
    const modules = imported.filter((module) => module === name || module.startsWith(`${name}/`));
    manifest.dependencies[name] = await add(name, modules.join(), () => packModules(name, modules));
  }
  if (manifest.scripts?.build === "tsc") {
    manifest.devDependencies = { esbuild: await add("esbuild", "esbuild", packEsbuild) };
    manifest.scripts.build =
      "esbuild src/index.ts --bundle --packages=external --platform=node --format=esm --outdir=dist";
  }
  await writeFile(file, JSON.stringify(manifest, null, 2));
}

/** Names of the modules that the fixture's sources import from packages, each once. */
async function importedModules(plugin: string): Promise<string[]> {
  const files = await readdir(plugin, { recursive: true });
  const sources = files.filter((file) => /\.m?[jt]s$/.test(file));
  const texts = await Promise.all(sources.map((file) => readFile(join(plugin, file), "utf8")));
  const imports = texts.flatMap((text) => [...text.matchAll(/^import (?!type ).* from "([^"]+)"/gm)]);
  return [...new Set(imports.map(([, module]) => module!))].sort();
}

/** A package that has these modules alone, each with all that it needs. */
const packModules = (name: string, modules: readonly string[]) =>
  packed(async (folder) => {
    const banner = {
      js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);',
    };
    await useEsbuild((build) =>
      build({
        absWorkingDir: root,
        entryPoints: modules.map((module, index) => ({ in: module, out: String(index) })),
        outdir: folder,
        banner,
        bundle: true,
        splitting: true,
        format: "esm",
        platform: "node",
        logLevel: "error",
      })
    );
    const { version } = JSON.parse(await readFile(join(root, "node_modules", name, "package.json"), "utf8"));
    const exports = Object.fromEntries(
      modules.map((module, index) => [`.${module.slice(name.length)}`, `./${index}.js`]),
    );
    return { name, version, type: "module", exports };
  });

/** The program alone, without the script that looks for it. */
const packEsbuild = () =>
  packed(async (folder) => {
    const require = createRequire(import.meta.url);
    const { version } = require("esbuild/package.json");
    const program = require.resolve(`@esbuild/${process.platform}-${process.arch}/bin/esbuild`);
    await copyFile(program, join(folder, "program"));
    return { name: "esbuild", version, bin: { esbuild: "program" } };
  });

/** @param fill writes into the package's folder and answers its manifest */
async function packed(fill: (folder: string) => Promise<object>): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), "pth-vendored-"));
  try {
    await mkdir(join(folder, "package"));
    const manifest = await fill(join(folder, "package"));
    await writeFile(join(folder, "package/package.json"), JSON.stringify(manifest));
    const archive = join(folder, "package.tgz");
    const { code, stderr } = await runCommand(["tar", "-czf", archive, "-C", folder, "package"]);
    if (code !== 0) throw new Error(`Cannot pack ${JSON.stringify(manifest)}: ${stderr}`);
    return await readFile(archive);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
