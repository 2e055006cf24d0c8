/** Modules that the files of a Python distribution import, with what was installed. */
import { posix } from "node:path";
import type { InstallFault } from "../../machines/model/install_check.ts";
import { visibleName } from "../core/text.ts";
import { readCode } from "../plugin/code_text.ts";
import type { InstalledTrees } from "./install_kind.ts";
import { notBrought } from "./module_imports.ts";
import { wheelDistribution } from "./wheel_distribution.ts";

interface PythonImport {
  /** Dotted name, its leading dots as they are written. */
  name: string;
  line: number;
}

/** Imports at the top level of a file: those within blocks may be meant for what is there only sometimes. */
export function pythonImports(text: string): PythonImport[] {
  const { code } = readCode(text, "python");
  return code.split("\n").flatMap((line, index): PythonImport[] => {
    const from = /^from\s+(\.*[\w.]*)\s+import\b/.exec(line)?.[1];
    if (from !== undefined) return [{ name: from, line: index + 1 }];
    const names = /^import\s+([\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+(?:\s+as\s+\w+)?)*)/.exec(line)?.[1];
    return (names ?? "").split(",").map((name) => name.trim().split(/\s/)[0]!).filter((name) => name !== "")
      .map((name) => ({ name, line: index + 1 }));
  });
}

const mostFiles = 1000;
const packing = "Have the build system include it (packages, package data)";

/** Faults of the imports of the distribution's own files. */
export async function pythonFaults(
  { env, installed, source, signal }: InstalledTrees,
): Promise<InstallFault[]> {
  const files = [...installed.entries.keys()];
  const own = (await wheelDistribution(installed)).files.filter((path) => path.endsWith(".py"));
  const { stdout } = await env.exec(
    ["python3", "-c", "import sys; print(*sorted(sys.stdlib_module_names))"],
    { cwd: "/", signal },
  );
  const known = new Set([
    ...stdout.trim().split(/\s+/),
    ...files.map((path) => path.split("/")[0]!.replace(/\.py$|\..*\.so$/, "")),
  ]);
  const ownTops = new Set(own.map((path) => path.split("/")[0]!.replace(/\.py$/, "")));
  const faults: InstallFault[] = [];
  for (const file of own.slice(0, mostFiles)) {
    for (const { name, line } of pythonImports(await installed.read(file) ?? "")) {
      const place = `${file}:${line}`;
      const path = pathOf(file, name);
      const top = path.split("/")[0]!;
      if (name.startsWith(".") || ownTops.has(top)) {
        const fault = moduleFault(place, path, { installed, source });
        if (fault !== undefined) faults.push(fault);
      } else if (stdout.trim() !== "" && !known.has(top)) {
        faults.push({
          code: "undeclared-dependency",
          place,
          message: notBrought(top),
          next: `Add the distribution of ${visibleName(top)} to the project's dependencies`,
        });
      }
    }
  }
  return faults;
}

/** Path of a module without its ending, from the folder of all packages. */
function pathOf(file: string, name: string): string {
  const dots = /^\.*/.exec(name)![0].length;
  const rest = name.slice(dots).replaceAll(".", "/");
  if (dots === 0) return rest;
  return posix.join(posix.dirname(file), "../".repeat(dots - 1), rest);
}

/**
 * Says what is wrong with a module that has to be there; undefined where it is.
 * @param path from the folder of all packages, without its ending
 */
export function moduleFault(
  place: string,
  path: string,
  { installed, source }: Pick<InstalledTrees, "installed" | "source">,
): InstallFault | undefined {
  const forms = [`${path}.py`, `${path}/__init__.py`, path];
  if (forms.some((form) => installed.has(form)) || hasCompiled(path, installed.entries)) return undefined;
  const like = forms.map((form) => installed.likeCase(form)).find((form) => form !== undefined);
  if (like !== undefined) {
    return {
      code: "case-mismatch",
      place,
      message: `${visibleName(path)} is called ${visibleName(like)}: Linux tells the cases of letters apart`,
      next: "Write the name as the file has it",
    };
  }
  const packed = forms.flatMap((form) => [form, `src/${form}`]).find((form) => source?.has(form));
  return packed === undefined
    ? {
      code: "wrong-path",
      place,
      message: `${visibleName(path)} is not there`,
      next: "Correct the import, or add the module",
    }
    : {
      code: "not-packed",
      place,
      message: `${visibleName(packed)} is in the source and not in the wheel`,
      next: packing,
    };
}

const hasCompiled = (path: string, entries: ReadonlyMap<string, unknown>): boolean =>
  [...entries.keys()].some((file) => file.startsWith(`${path}.`) && /\.(?:so|pyd)$/.test(file));
