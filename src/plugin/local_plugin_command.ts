/** Turns a declared command that would fetch or look for the plugin elsewhere into the plugin that lies here. */
import type { BuildPlan } from "../../machines/model/plugin.ts";
import { readPackageJson, tomlTable } from "./package_json.ts";
import { venvPython } from "./python.ts";
import type { ReadableFolder } from "./readable_folder.ts";
import { binsOf, chooseExecutable, interpreterCommand } from "./find_start.ts";

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
