/** Modules that JavaScript and TypeScript files import, found by a plain scan. */
import { isBuiltin } from "node:module";
import { posix } from "node:path";
import type { InstallFault } from "../../machines/model/install_check.ts";
import { visibleName } from "../core/text.ts";
import { readCode, scannedLanguage } from "../plugin/code_text.ts";
import { type PackageTrees, pathFault } from "./path_fault.ts";

interface ModuleImport {
  specifier: string;
  line: number;
  /** `import("x")`: may be meant for what is there only sometimes. */
  lazy: boolean;
}

/** Characters before a string that tell whether it is imported. */
const lookBack = 2000;

/** The modules that a file names; what stands in a `try` block is left out, as its absence is provided for. */
export function moduleImports(text: string): ModuleImport[] {
  const { code, literals, lineOf } = readCode(text, "javascript");
  return literals.flatMap(({ start, text: specifier }) => {
    if (code[start] === "`" || specifier === "" || specifier.includes("\\")) return [];
    const before = code.slice(Math.max(0, start - lookBack), start);
    const isStatic = /(?<![.\w$])import\s*$/.test(before) ||
      /(?<![.\w$])(?:import|export)\s+(?!type\b)(?:[\w$*\s{},]|as\b)*\bfrom\s*$/.test(before);
    const call = /(?<![.\w$])(require|import)\s*\(\s*$/.exec(before)?.[1];
    if (!isStatic && call === undefined) return [];
    if (/\btry\s*\{[^{}]*$/.test(before)) return [];
    return [{ specifier, line: lineOf(start), lazy: call === "import" }];
  });
}

/** Name of the package that a specifier without a path means. */
export const packageOf = (specifier: string): string =>
  specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");

/** Names that can be installed; others stand in texts that a plain scan takes for code, as in minified files. */
const packageName = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i;

const endings = [
  "",
  ".js",
  ".mjs",
  ".cjs",
  ".json",
  ".node",
  ".ts",
  ".tsx",
  "/index.js",
  "/index.mjs",
  "/index.cjs",
  "/index.json",
  "/index.ts",
];

/** Sources and declarations that TypeScript takes where a module is named. */
const typesOf = (path: string): string[] =>
  /\.[cm]?[jt]s$/.test(path)
    ? [path.replace(/\.([cm]?)[jt]s$/, ".$1ts"), path.replace(/\.([cm]?)[jt]s$/, ".d.$1ts")]
    : [`${path}.d.ts`];

const mostFiles = 2000;

interface ImportRules {
  /** Files of the package at which imports begin. */
  entries: readonly string[];
  /** Way to have a file packed. */
  packing: string;
  /** Fault of a package that is not brought along; undefined where its users have it. */
  foreign(name: string): Pick<InstallFault, "message" | "next"> | undefined;
}

/** Faults of everything that the entries import, directly or not. */
export async function importFaults(trees: PackageTrees, rules: ImportRules): Promise<InstallFault[]> {
  const { entries, packing, foreign } = rules;
  const faults: InstallFault[] = [];
  const known = new Set(entries.filter((entry) => scannedLanguage(entry) === "javascript"));
  const named = new Set<string>();
  for (const file of known) {
    if (known.size > mostFiles) break;
    const text = await trees.installed.read(file);
    if (text === undefined) continue;
    for (const { specifier, line, lazy } of moduleImports(text)) {
      const place = `${file}:${line}`;
      if (/^\.\.?(?:\/|$)/.test(specifier)) {
        const path = posix.join(posix.dirname(file), specifier.replace(/[?#].*$/, ""));
        const names = [path, ...typesOf(path)];
        const own = names.find((each) => trees.installed.has(each)) ??
          names.find((each) => trees.source?.has(each)) ?? path;
        const fault = pathFault({ place, path: own, endings, packing }, trees);
        if (fault !== undefined) faults.push(fault);
        else {
          const found = endings.map((ending) => own + ending).find((each) =>
            trees.installed.entries.has(each)
          );
          if (found !== undefined && scannedLanguage(found) === "javascript") known.add(found);
        }
      } else if (/^(?:\/|file:\/\/\/)/.test(specifier)) {
        const fault = pathFault({ place, path: specifier, packing }, trees);
        if (fault !== undefined) faults.push(fault);
      } else if (!lazy && !/^[#$]|^[a-z][a-z0-9+.-]+:/i.test(specifier) && !isBuiltin(specifier)) {
        const name = packageOf(specifier);
        const fault = named.has(name) || !packageName.test(name) ? undefined : foreign(name);
        named.add(name);
        if (fault !== undefined) faults.push({ code: "undeclared-dependency", place, ...fault });
      }
    }
  }
  return faults;
}

/** Message on a package that nothing brings along. */
export const notBrought = (name: string): string =>
  `imports ${visibleName(name)}, which is not brought along`;
