/** An npm package as its users get it: packed by npm, installed into an empty project. */
import { posix } from "node:path";
import type { InstalledProgram, InstallFault, PackedPackage } from "../../machines/model/install_check.ts";
import { oneLine, visibleName } from "../core/text.ts";
import { isObject, jsonIn } from "../core/values.ts";
import { assetText } from "../platform/asset_text.ts";
import { binsOf } from "../plugin/find_start.ts";
import type { PackageJson } from "../plugin/package_json.ts";
import { engineFaults } from "./engine_faults.ts";
import type { InstalledTrees, InstallPlace } from "./install_kind.ts";
import { importFaults } from "./module_imports.ts";
import { linkFaults, pathFault } from "./path_fault.ts";
import { failureOutput } from "./failure_output.ts";
import { manifestPaths, moduleEntries } from "./manifest_paths.ts";

export const npmPacking = 'Add it to "files" of package.json';

const npmLimitMs = 180_000;
const manifestFile = "package.json";

/** Runs `npm pack` in the source as it is inside, built. */
export async function packNpm(
  { env, folder, source, archive, signal }: InstallPlace,
): Promise<PackedPackage> {
  if (archive !== undefined) return { path: archive, notes: [] };
  await env.exec(["mkdir", "-p", folder], { cwd: "/", signal });
  const command = ["npm", "pack", "--no-update-notifier", "--loglevel=error", "--pack-destination", folder];
  const limit = AbortSignal.any([signal, AbortSignal.timeout(npmLimitMs)]);
  const { code, stdout, stderr } = await env.exec(command, { cwd: source!, signal: limit });
  const file = stdout.trim().split("\n").at(-1) ?? "";
  if (code === 0 && /^[^/\0]+\.tgz$/.test(file)) return { path: posix.join(folder, file), notes: [] };
  const output = `${stdout}\n${stderr}`;
  return { path: "", notes: [], fault: npmFault("not-packed", "npm pack", output) };
}

/** A project inside with the package as its only dependency. */
export interface NpmProject {
  project: string;
  /** Folder of the package. */
  root: string;
  manifest: PackageJson;
}

/** Installs the archive into an empty project; answers with the fault where npm refuses it. */
export async function installNpm(
  { env, folder, signal }: InstallPlace,
  archive: string,
): Promise<NpmProject | InstallFault> {
  const project = posix.join(folder, "project");
  const script = 'mkdir -p "$1" && printf \'{"name":"user-project","private":true}\' > "$1/package.json"';
  await env.exec(["sh", "-c", script, "sh", project], { cwd: "/", signal });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(npmLimitMs)]);
  const words = ["install", "--no-audit", "--no-fund", "--no-update-notifier", "--prefer-offline"];
  const { code, stdout, stderr } = await env.exec(["npm", ...words, archive], {
    cwd: project,
    signal: limit,
  });
  if (code !== 0) return npmFault("not-installed", "npm install", `${stdout}\n${stderr}`);
  const name = Object.keys(dependenciesOf(await json(env, `${project}/package.json`)))[0] ?? "";
  const root = posix.join(project, "node_modules", name);
  const manifest = await json(env, posix.join(root, manifestFile));
  return { project, root, manifest: manifest as PackageJson };
}

/** An import of each entry, and a start of each program with `--help`. */
export function npmPrograms({ project, manifest }: NpmProject): InstalledProgram[] {
  const { name = "" } = manifest;
  const script = assetText("install/import_module.mjs");
  const imports = moduleEntries(manifest).map(({ key, subpath }): InstalledProgram => ({
    place: `${manifestFile}: ${key}`,
    command: ["node", "--input-type=module", "-e", script, posix.join(name, subpath)],
    cwd: project,
    code: "import-fails",
  }));
  const bins = Object.keys(binsOf(manifest)).map((bin): InstalledProgram => ({
    place: `${manifestFile}: bin.${bin}`,
    command: [posix.join(project, "node_modules/.bin", bin), "--help"],
    cwd: project,
    code: "not-started",
  }));
  return [...imports, ...bins];
}

/** Faults that the manifest, the files and their imports show. */
export async function npmFaults(trees: InstalledTrees, hosts: RegExp = /^$/): Promise<InstallFault[]> {
  const manifest = jsonIn(await trees.installed.read(manifestFile) ?? "");
  if (!isObject(manifest)) {
    return [{
      code: "not-packed",
      place: manifestFile,
      message: "package.json is not in the package, or cannot be read",
      next: "Correct package.json",
    }];
  }
  const packed = manifest as PackageJson;
  const { engines } = packed;
  const named = manifestPaths(packed);
  const faults = named.flatMap(({ key, path, endings }) =>
    pathFault({ place: `${manifestFile}: ${key}`, path, endings, packing: npmPacking }, trees) ?? []
  );
  const brought = new Set([
    ...Object.keys(packed.dependencies ?? {}),
    ...Object.keys(packed.peerDependencies ?? {}),
    ...Object.keys(packed.optionalDependencies ?? {}),
    packed.name ?? "",
  ]);
  const developing = packed.devDependencies ?? {};
  const own = await importFaults(trees, {
    entries: named.flatMap(({ key, path, endings }) =>
      key.startsWith("types") || key.startsWith("files")
        ? []
        : endings.map((ending) => posix.normalize(path) + ending).filter((each) =>
          trees.installed.entries.has(each)
        )
    ),
    packing: npmPacking,
    foreign: (name) =>
      brought.has(name) || hosts.test(name) ? undefined : {
        message: `imports ${visibleName(name)}, which package.json does not declare`,
        next: name in developing
          ? `Move ${visibleName(name)} from devDependencies to dependencies`
          : `Add ${visibleName(name)} to dependencies`,
      },
  });
  return [
    ...faults,
    ...await shebangFaults(trees, packed),
    ...dependencyFaults(packed),
    ...await engineFaults(
      trees.env,
      `${manifestFile}: engines.node`,
      isObject(engines) ? engines.node : undefined,
    ),
    ...own,
    ...(trees.source === undefined ? [] : linkFaults(trees.source, (path) => isListed(packed, path))),
    ...await bakedPaths(trees),
  ];
}

/** Whether `files` names a path, or a folder above it; patterns are taken for all below their first folder. */
function isListed({ files }: PackageJson & { files?: unknown }, path: string): boolean {
  if (!Array.isArray(files)) return true;
  return files.some((entry: unknown) => {
    if (typeof entry !== "string" || entry.startsWith("!")) return false;
    const plain = posix.normalize(entry.replace(/^\/+/, "").replace(/[*?[{].*$/, "")).replace(/\/$/, "");
    return plain === "." || path === plain || path.startsWith(`${plain}/`);
  });
}

/** npm sets the run bit of programs; without a `#!` line a shell would read them. */
async function shebangFaults({ installed }: InstalledTrees, manifest: PackageJson): Promise<InstallFault[]> {
  const faults: InstallFault[] = [];
  for (const [bin, path] of Object.entries(binsOf(manifest))) {
    const text = await installed.read(posix.normalize(path));
    if (text === undefined || text.startsWith("#!") || !/\.[cm]?[jt]s$|^[^.]+$/.test(posix.basename(path))) {
      continue;
    }
    faults.push({
      code: "no-run-bit",
      place: `${visibleName(posix.normalize(path))}:1`,
      message: `the program ${visibleName(bin)} has no #! line, so that a shell reads it`,
      next: 'Begin the file with "#!/usr/bin/env node"',
    });
  }
  return faults;
}

/** Dependencies that only the author's machine has. */
function dependencyFaults(manifest: PackageJson): InstallFault[] {
  return Object.entries(manifest.dependencies ?? {}).flatMap(([name, range]) =>
    /^(?:file|link|portal|workspace):/.test(range)
      ? [{
        code: "outside-package" as const,
        place: `${manifestFile}: dependencies.${visibleName(name)}`,
        message: `${visibleName(range)} is a path of the author's machine`,
        next: "Name a version, or bundle the code",
      }]
      : []
  );
}

const mostSearched = 500;

/** Files that hold the path at which they were built. */
async function bakedPaths({ installed, sourceRoot }: InstalledTrees): Promise<InstallFault[]> {
  if (sourceRoot === undefined) return [];
  const files = [...installed.entries.keys()].filter((path) => /\.(?:[cm]?js|json|sh)$/.test(path));
  const texts = await Promise.all(
    files.slice(0, mostSearched).map(async (path) => {
      const text = await installed.read(path) ?? "";
      return { path, line: text.split("\n").findIndex((line) => line.includes(`${sourceRoot}/`)) + 1 };
    }),
  );
  return texts.filter(({ line }) => line > 0).map(({ path, line }) => ({
    code: "absolute-path",
    place: `${path}:${line}`,
    message: "holds the path of the folder that it was built in",
    next: "Find files from the module's own place (import.meta.url, __dirname)",
  }));
}

function npmFault(code: "not-packed" | "not-installed", command: string, output: string): InstallFault {
  const line =
    output.split("\n").find((text) => /^npm (?:error|ERR!) (?!code|errno|A complete)/.test(text)) ?? output;
  const reason = oneLine(line.replace(/^npm (?:error|ERR!) /, ""));
  return {
    code,
    place: manifestFile,
    message: `${command} fails: ${visibleName(reason, 200)}`,
    next: `Run ${command} where nothing else of yours is, and mend what it names`,
    output: failureOutput(output, "/"),
  };
}

const dependenciesOf = (value: Record<string, unknown>): Record<string, unknown> =>
  isObject(value.dependencies) ? value.dependencies : {};

async function json(env: InstallPlace["env"], file: string): Promise<Record<string, unknown>> {
  const { stdout } = await env.exec(["cat", "--", file], { cwd: "/", maxBytes: 4 * 1024 * 1024 });
  const value = jsonIn(stdout);
  return isObject(value) ? value : {};
}
