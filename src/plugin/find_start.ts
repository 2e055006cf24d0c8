/** Finds the start command of a plugin that declares none: from its manifests, then by names of files. */
import type { BuildPlan } from "../../machines/model/plugin.ts";
import { type PackageJson, readPackageJson, tomlTable } from "./package_json.ts";
import { ambiguousServers } from "./declared_servers.ts";
import type { ReadableFolder } from "./readable_folder.ts";
import { venvPython } from "./build_system.ts";

interface StartQuestion {
  /** The plugin's folder: on the host before a build, inside the environment after it. */
  folder: ReadableFolder;
  /** Path of that folder inside the environment. */
  path: string;
  build: BuildPlan | undefined;
  /** Name of the executable to start, if there are several. */
  wanted: string | undefined;
}

type Finder = (question: StartQuestion) => Promise<string[] | undefined>;

/**
 * The command with absolute paths inside the environment; undefined if none is found.
 * @throws {PthError} `SERVER_AMBIGUOUS` when a manifest names several executables
 */
export async function findStart(question: StartQuestion): Promise<string[] | undefined> {
  for (const finder of [node, python, rust, go, byFileName]) {
    const command = await finder(question);
    if (command) return command;
  }
  return undefined;
}

/** Places that were searched, for error messages. */
export const startPlaces = [
  "package.json: bin, start script, main, exports",
  "pyproject.toml: [project.scripts]; a package with __main__.py",
  "Cargo.toml: binaries; go.mod",
  "server.*, main.*, index.*, app.py",
];

/** The one that is wanted, is named like the package, or stands alone. @throws {PthError} `SERVER_AMBIGUOUS` */
export function chooseExecutable(
  names: string[],
  like: string | undefined,
  wanted: string | undefined,
): string | undefined {
  if (wanted !== undefined && names.includes(wanted)) return wanted;
  const plain = like?.replace(/^@[^/]*\//, "");
  const [first] = names;
  if (names.length < 2) return first;
  const match = names.find((name) => name === plain);
  if (match === undefined) throw ambiguousServers(names);
  return match;
}

/** `bin` of a package.json as name and path. */
export function binsOf(manifest: PackageJson): Record<string, string> {
  if (typeof manifest.bin !== "string") return manifest.bin ?? {};
  return { [manifest.name?.replace(/^@[^/]*\//, "") ?? "bin"]: manifest.bin };
}

/** Adds the interpreter of a file by its extension; other files are executed themselves. */
export function interpreterCommand(file: string, python = "python3"): string[] {
  if (/\.[cm]?js$/.test(file)) return ["node", file];
  if (/\.[cm]?ts$/.test(file)) return ["node", "--experimental-strip-types", "--no-warnings", file];
  if (file.endsWith(".py")) return [python, file];
  if (file.endsWith(".sh")) return ["sh", file];
  return [file];
}

const within = (path: string, file: string): string => `${path}/${file.replace(/^\.\//, "")}`;

async function node({ folder, path, wanted }: StartQuestion): Promise<string[] | undefined> {
  const manifest = await readPackageJson(folder);
  if (manifest === undefined) return undefined;
  const bins = binsOf(manifest);
  const bin = chooseExecutable(Object.keys(bins), manifest.name, wanted);
  if (bin !== undefined) return interpreterCommand(within(path, bins[bin]!));
  const script = startScript(manifest.scripts?.start, path);
  if (script) return script;
  const entry = manifest.main ?? entryOf(manifest.exports);
  return entry === undefined ? undefined : interpreterCommand(within(path, entry));
}

/** A plain `node file` is started itself: npm would stand between PTH and the server's end. */
function startScript(script: string | undefined, path: string): string[] | undefined {
  if (script === undefined) return undefined;
  const words = script.trim().split(/\s+/);
  if (words[0] !== "node" || /[;&|<>$`"'()]/.test(script)) return ["npm", "--silent", "start"];
  const file = words.findIndex((word, index) => index > 0 && !word.startsWith("-"));
  return words.map((word, index) => (index === file ? within(path, word) : word));
}

function entryOf(exports: unknown): string | undefined {
  if (typeof exports === "string") return exports;
  if (typeof exports !== "object" || exports === null) return undefined;
  const { ".": main, import: esm, require, default: otherwise } = exports as Record<string, unknown>;
  return entryOf(main ?? esm ?? otherwise ?? require);
}

async function python({ folder, path, build, wanted }: StartQuestion): Promise<string[] | undefined> {
  const pyproject = await folder.read("pyproject.toml") ?? "";
  const project = { ...tomlTable(pyproject, "tool.poetry"), ...tomlTable(pyproject, "project") };
  const scripts = {
    ...tomlTable(pyproject, "tool.poetry.scripts"),
    ...tomlTable(pyproject, "project.scripts"),
    ...consoleScripts(`${await folder.read("setup.py")}\n${await folder.read("setup.cfg")}`),
  };
  const script = chooseExecutable(Object.keys(scripts), project.name, wanted);
  const installed = build?.system === "pip";
  if (script !== undefined && installed) return [`${path}/.venv/bin/${script}`];
  const module = project.name?.replaceAll(/[-.]/g, "_");
  for (const place of module === undefined ? [] : [module, `src/${module}`]) {
    if (await folder.exists(`${place}/__main__.py`)) {
      return [interpreter(path, build), "-m", place.replace("src/", "")];
    }
  }
  return undefined;
}

/** `name = module:function` lines of `entry_points`. */
function consoleScripts(text: string): Record<string, string> {
  const section = /console_scripts["'\]]*\s*[:=]?\s*\[?([^\]]*)/.exec(text)?.[1] ?? "";
  const pairs = [...section.matchAll(/([\w.-]+)\s*=\s*([\w.]+:[\w.]+)/g)];
  return Object.fromEntries(pairs.map(([, name, place]) => [name!, place!]));
}

const interpreter = (path: string, build: BuildPlan | undefined): string =>
  build?.system.startsWith("pip") ? `${path}/${venvPython}` : "python3";

async function rust({ folder, path, wanted }: StartQuestion): Promise<string[] | undefined> {
  const manifest = await folder.read("Cargo.toml");
  if (manifest === undefined) return undefined;
  const { name } = tomlTable(manifest, "package");
  const declared = [...manifest.matchAll(/^\s*\[\[bin\]\][^[]*?^\s*name\s*=\s*"([^"]+)"/gms)].map((match) =>
    match[1]!
  );
  const own = name !== undefined && await folder.exists("src/main.rs") ? [name] : [];
  const binary = chooseExecutable([...new Set([...declared, ...own])], name, wanted);
  return binary === undefined ? undefined : [`${path}/target/debug/${binary}`];
}

async function go({ folder, path }: StartQuestion): Promise<string[] | undefined> {
  const module = /^module\s+(\S+)/m.exec(await folder.read("go.mod") ?? "")?.[1];
  const single = module !== undefined && await folder.exists("main.go");
  return single ? [`${path}/bin/${module.replace(/\/v\d+$/, "").split("/").at(-1)}`] : undefined;
}

const names = ["server", "main", "index", "app"];
const places = ["", "dist/", "build/", "src/"];
const endings = [".mjs", ".js", ".cjs", ".py"];

async function byFileName({ folder, path, build }: StartQuestion): Promise<string[] | undefined> {
  for (const place of places) {
    for (const name of names) {
      for (const ending of endings) {
        const file = `${place}${name}${ending}`;
        if (await folder.exists(file)) return interpreterCommand(`${path}/${file}`, interpreter(path, build));
      }
    }
  }
  return undefined;
}

/**
 * `npx -y <this package>` runs the local bin, not the published one; `python`, `uv run`, `uvx` and console scripts of a
 * Python plugin run from its venv. Any other command stays as it is.
 */
export async function localPluginCommand(
  folder: ReadableFolder,
  path: string,
  build: BuildPlan | undefined,
  command: string[],
): Promise<string[]> {
  const own = await ownNode(folder, path, command);
  if (own) return own;
  return build?.system.startsWith("pip") ? await ownPython(folder, path, command) : command;
}

async function ownNode(
  folder: ReadableFolder,
  path: string,
  command: string[],
): Promise<string[] | undefined> {
  const manifest = await readPackageJson(folder);
  if (manifest === undefined) return undefined;
  const bins = binsOf(manifest);
  const local = (
    bin: string,
    args: string[],
  ) => [...interpreterCommand(`${path}/${bins[bin]!.replace(/^\.\//, "")}`), ...args];
  const [program, ...rest] = command;
  if (program !== undefined && Object.hasOwn(bins, program)) return local(program, rest);
  if (program !== "npx" && program !== "bunx") return undefined;
  const at = rest.findIndex((word) => !word.startsWith("-"));
  const name = rest[at]?.replace(/(?<=.)@[^/]*$/, "");
  if (at === -1 || name !== manifest.name) return undefined;
  const bin = chooseExecutable(Object.keys(bins), manifest.name, undefined);
  return bin === undefined ? undefined : local(bin, rest.slice(at + 1));
}

async function ownPython(folder: ReadableFolder, path: string, command: string[]): Promise<string[]> {
  const [program = "", ...args] = command;
  if (/^python(3(\.\d+)?)?$/.test(program)) return [`${path}/${venvPython}`, ...args];
  const run = program === "uv" ? command.indexOf("run") : program === "uvx" ? 0 : -1;
  const words = run === -1 ? command : command.slice(run + 1);
  const [first = "", ...others] = words;
  if (run !== -1 && first.endsWith(".py")) return [`${path}/${venvPython}`, ...words];
  if (run !== -1 && /^python3?$/.test(first)) return [`${path}/${venvPython}`, ...others];
  const scripts = tomlTable(await folder.read("pyproject.toml") ?? "", "project.scripts");
  return Object.hasOwn(scripts, first) ? [`${path}/.venv/bin/${first}`, ...others] : command;
}
