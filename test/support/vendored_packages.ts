/** What a fixture depends on, in its own folder: in any environment nothing is asked of npm's registry. */
import { createHash } from "node:crypto";
import { copyFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { pathExists } from "../../src/platform/files.ts";
import { useEsbuild } from "../../src/platform/use_esbuild.ts";
import { runCommand } from "../../src/platform/process.ts";
import { root } from "./root.ts";

/** What was made before lies here, one folder for each set of modules. */
const kept = join(root, ".build/vendored");

/** Puts archives in the place of what the fixture's `package.json` names; esbuild takes the compiler's place. */
export async function vendorPackages(plugin: string): Promise<void> {
  const manifest = await readManifest(plugin);
  const imported = await importedModules(plugin);
  const add = async (name: string, made: Promise<string>) => {
    const archive = `${name.replace("@", "").replace("/", "-")}.tgz`;
    await copyFile(join(await made, "package.tgz"), join(plugin, archive));
    return `file:${archive}`;
  };
  for (const name of Object.keys(manifest.dependencies)) {
    manifest.dependencies[name] = await add(name, packModules(name, modulesOf(name, imported)));
  }
  if (manifest.scripts?.build === "tsc") {
    manifest.devDependencies = { esbuild: await add("esbuild", packEsbuild()) };
    manifest.scripts.build =
      "esbuild src/index.ts --bundle --packages=external --platform=node --format=esm --outdir=dist";
  }
  await writeManifest(plugin, manifest);
}

/**
 * Puts what the fixture's `.mjs` sources import from packages into its folder `vendor`, where they import it from: nothing
 * has to be installed, and each line of theirs stays in its place.
 */
export async function vendorModules(plugin: string): Promise<void> {
  const { dependencies, ...manifest } = await readManifest(plugin);
  const names = Object.keys(dependencies);
  const modules = (await importedModules(plugin)).filter((module) =>
    names.some((name) => modulesOf(name, [module]).length > 0)
  );
  const bundled = await made(["modules", ...modules], (folder) => bundleModules(modules, folder, fileOf));
  await cp(bundled, join(plugin, "vendor"), { recursive: true });
  for (const file of await sourcesOf(plugin)) {
    const path = join(plugin, file);
    const text = await readFile(path, "utf8");
    const vendor = relative(dirname(file), "vendor") || ".";
    await writeFile(
      path,
      text.replace(
        /^(import .* from )"([^"]+)"/gm,
        (line, start, module) =>
          modules.includes(module) ? `${start}"./${vendor}/${fileOf(module)}.js"` : line,
      ),
    );
  }
  await writeManifest(plugin, manifest);
}

const readManifest = async (plugin: string) =>
  JSON.parse(await readFile(join(plugin, "package.json"), "utf8"));

const writeManifest = (plugin: string, manifest: object) =>
  writeFile(join(plugin, "package.json"), JSON.stringify(manifest, null, 2));

const modulesOf = (name: string, modules: readonly string[]): string[] =>
  modules.filter((module) => module === name || module.startsWith(`${name}/`));

const fileOf = (module: string): string => module.replace(/\.js$/, "");

async function sourcesOf(plugin: string): Promise<string[]> {
  const files = await readdir(plugin, { recursive: true });
  return files.filter((file) => /\.m?[jt]s$/.test(file) && !file.startsWith("vendor/"));
}

/** Names of the modules that the fixture's sources import from packages, each once. */
async function importedModules(plugin: string): Promise<string[]> {
  const sources = await sourcesOf(plugin);
  const texts = await Promise.all(sources.map((file) => readFile(join(plugin, file), "utf8")));
  const imports = texts.flatMap((text) => [...text.matchAll(/^import (?!type ).* from "([^"]+)"/gm)]);
  return [...new Set(imports.map(([, module]) => module!))].sort();
}

/** Writes these modules into the folder, each with all that it needs. */
async function bundleModules(
  modules: readonly string[],
  folder: string,
  nameOf: (module: string, index: number) => string,
): Promise<void> {
  const banner = {
    js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);',
  };
  await useEsbuild((build) =>
    build({
      absWorkingDir: root,
      entryPoints: modules.map((module, index) => ({ in: module, out: nameOf(module, index) })),
      outdir: folder,
      banner,
      bundle: true,
      splitting: true,
      minify: true,
      format: "esm",
      platform: "node",
      logLevel: "error",
    })
  );
}

/** A package that has these modules alone. */
const packModules = (name: string, modules: readonly string[]): Promise<string> =>
  packed([name, ...modules], async (folder) => {
    await bundleModules(modules, folder, (_, index) => `${index}`);
    const { version } = await readManifest(join(root, "node_modules", name));
    const exports = Object.fromEntries(
      modules.map((module, index) => [`.${module.slice(name.length)}`, `./${index}.js`]),
    );
    return { name, version, type: "module", exports };
  });

/** The program alone, without the script that looks for it. */
const packEsbuild = (): Promise<string> =>
  packed(["esbuild"], async (folder) => {
    const require = createRequire(import.meta.url);
    const { version } = require("esbuild/package.json");
    const program = require.resolve(`@esbuild/${process.platform}-${process.arch}/bin/esbuild`);
    await copyFile(program, join(folder, "program"));
    return { name: "esbuild", version, bin: { esbuild: "program" } };
  });

/**
 * Makes `package.tgz`.
 * @param fill writes into the package's folder and answers its manifest
 */
const packed = (parts: readonly string[], fill: (folder: string) => Promise<object>): Promise<string> =>
  made(["package", ...parts], async (folder) => {
    await mkdir(join(folder, "package"));
    const manifest = await fill(join(folder, "package"));
    await writeManifest(join(folder, "package"), manifest);
    const { code, stderr } = await runCommand(["tar", "-czf", "package.tgz", "package"], { cwd: folder });
    if (code !== 0) throw new Error(`Cannot pack ${JSON.stringify(manifest)}: ${stderr}`);
    await rm(join(folder, "package"), { recursive: true });
  });

/**
 * The folder that belongs to these parts and to the packages as they are installed; the first who asks fills it.
 * Processes that ask at the same time fill one each, and the first stays.
 */
async function made(parts: readonly string[], fill: (folder: string) => Promise<void>): Promise<string> {
  const hash = createHash("sha256").update(parts.join("\0"));
  for (const file of [join(root, "package-lock.json"), fileURLToPath(import.meta.url)]) {
    hash.update(await readFile(file));
  }
  const folder = join(kept, hash.digest("hex").slice(0, 16));
  if (await pathExists(folder)) return folder;
  const draft = `${folder}-${process.pid}`;
  await mkdir(draft, { recursive: true });
  try {
    await fill(draft);
    await rename(draft, folder);
  } catch (error) {
    if (!await pathExists(folder)) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}
