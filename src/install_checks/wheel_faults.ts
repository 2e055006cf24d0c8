/** Faults of a wheel that its files show, without those of its imports. */
import { posix } from "node:path";
import type { InstallFault } from "../../machines/model/install_check.ts";
import { visibleName } from "../core/text.ts";
import { readCode } from "../plugin/code_text.ts";
import type { InstalledTrees } from "./install_kind.ts";
import { moduleFault } from "./python_imports.ts";
import { versionFault } from "./version_fault.ts";
import { consoleScripts, type WheelDistribution, wheelDistribution } from "./wheel_distribution.ts";

const mostFiles = 1000;
const projectFile = "pyproject.toml";

export async function wheelFaults(trees: InstalledTrees): Promise<InstallFault[]> {
  const { installed } = trees;
  const found = await wheelDistribution(installed);
  const { info, files } = found;
  if (info === undefined) return [];
  const [metadata = "", wheel = "", scripts = ""] = await Promise.all(
    ["METADATA", "WHEEL", "entry_points.txt"].map((name) => installed.read(`${info}/${name}`)),
  );
  const compiled = /^Tag:\s*\S+-none-any\s*$/m.test(wheel)
    ? files.filter((path) => /\.(?:so|pyd|dylib)$/.test(path))
    : [];
  return [
    ...Object.entries(consoleScripts(scripts)).flatMap(([name, target]) =>
      moduleFault(
        `${projectFile}: scripts.${visibleName(name)}`,
        target.split(":")[0]!.replaceAll(".", "/"),
        trees,
      ) ?? []
    ),
    ...localDependencies(metadata),
    ...compiled.map((path): InstallFault => ({
      code: "wrong-engine",
      place: path,
      message: "is compiled for one platform, in a wheel that says it is for any",
      next: "Have the build system make a wheel of the platform",
    })),
    ...strayModules(found, metadata),
    ...await sourceFaults(trees, found, field(metadata, "Version")),
  ];
}

const field = (metadata: string, name: string): string | undefined =>
  new RegExp(String.raw`^${name}:\s*(.+?)\s*$`, "m").exec(metadata)?.[1];

/** Dependencies by a place that only the author's machine has. */
const localDependencies = (metadata: string): InstallFault[] =>
  [...metadata.matchAll(/^Requires-Dist:\s*([\w.-]+)[^@\n]*@\s*(file:\S*)/gm)].map(([, name, address]) => ({
    code: "outside-package",
    place: `${projectFile}: dependencies.${name}`,
    message: `${visibleName(address!)} is a path of the author's machine`,
    next: "Name a version that an index has",
  }));

/** Folders that are there for the author, and would lie among the packages of all others. */
function strayModules({ files }: WheelDistribution, metadata: string): InstallFault[] {
  const own = field(metadata, "Name")?.replaceAll(/[-.]/g, "_").toLowerCase();
  const tops = new Set(files.filter((path) => path.includes("/")).map((path) => path.split("/")[0]!));
  return ["test", "tests", "docs", "examples", "scripts"].filter((name) => tops.has(name) && name !== own)
    .map((
      name,
    ) => ({
      code: "outside-package",
      place: `${name}/`,
      message: `is installed as the package ${name} beside the packages of all other projects`,
      next: "Leave it out of the packages that the build system finds",
    }));
}

/** Files and paths that the modules name in strings, and the version that they tell. */
async function sourceFaults(
  { installed, source, sourceRoot }: InstalledTrees,
  { files }: WheelDistribution,
  version: string | undefined,
): Promise<InstallFault[]> {
  const modules = files.filter((path) => path.endsWith(".py")).slice(0, mostFiles);
  const found = await Promise.all(modules.map(async (file): Promise<InstallFault[]> => {
    const text = await installed.read(file) ?? "";
    const { literals, lineOf } = readCode(text, "python");
    const named = literals.flatMap(({ start, text: name }): InstallFault[] => {
      const place = `${file}:${lineOf(start)}`;
      if (sourceRoot !== undefined && name.includes(`${sourceRoot}/`)) {
        return [{
          code: "absolute-path",
          place,
          message: "holds the path of the folder that it was built in",
          next: "Find files from the package itself (importlib.resources)",
        }];
      }
      const lost = dataFile(file, name, { installed, source });
      return lost === undefined ? [] : [{
        code: "not-packed",
        place,
        message: `${visibleName(lost)} is in the source and not in the wheel`,
        next: "Have the build system include it (package data)",
      }];
    });
    const told = /^[^/]+\/__init__\.py$/.test(file)
      ? /^__version__\s*=\s*["']([^"']+)["']/m.exec(text)
      : undefined;
    return [
      ...named,
      ...(told
        ? versionFault(
          { place: "the wheel", version },
          { place: `${file}: __version__`, version: told[1] },
        )
        : []),
    ];
  }));
  return found.flat();
}

/** File of the source that a string names, next to the module or at the top of its package, and the wheel has not. */
function dataFile(
  file: string,
  name: string,
  { installed, source }: Pick<InstalledTrees, "installed" | "source">,
): string | undefined {
  if (source === undefined || !/^[\w./ -]+\.[A-Za-z]\w{0,9}$/.test(name) || /^\/|\.\.|\.py$/.test(name)) {
    return undefined;
  }
  const candidates = [posix.join(posix.dirname(file), name), posix.join(file.split("/")[0]!, name)];
  if (candidates.some((path) => installed.has(path))) return undefined;
  return candidates.flatMap((path) => [path, `src/${path}`]).find((path) => source.entries.has(path));
}
