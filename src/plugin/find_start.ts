/** How to start a plugin when nobody says: what its manifests name, then what its files are called. */
import type { BuildPlan } from "../../machines/model/plugin.ts";
import { type PackageJson, readPackageJson, tomlTable } from "./package_json.ts";
import { ambiguousServers } from "./declared_servers.ts";
import { venvPython } from "./python.ts";
import type { ReadableFolder } from "./readable_folder.ts";

export interface StartQuestion {
  /** The plugin's folder: on the host before a build, inside the environment after it. */
  folder: ReadableFolder;
  /** Where that folder lies inside the environment. */
  path: string;
  build: BuildPlan | undefined;
  /** Which of several executables. */
  wanted: string | undefined;
}

type Finder = (question: StartQuestion) => Promise<string[] | undefined>;

/**
 * The command with absolute paths inside the environment; undefined when nothing tells.
 * @throws {PthError} `SERVER_AMBIGUOUS` when a manifest names several executables
 */
export async function findStart(question: StartQuestion): Promise<string[] | undefined> {
  for (const finder of [node, python, rust, go, byFileName]) {
    const command = await finder(question);
    if (command) return command;
  }
  return undefined;
}

/** What was looked for, for messages. */
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

/** A file's own interpreter where its name tells; anything else starts itself. */
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
