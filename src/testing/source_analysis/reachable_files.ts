/** Finds which of a plugin's own files a file imports. */
import { posix } from "node:path";
import type { SourceTree } from "./source_index.ts";
import {
  descendants,
  namedChild,
  namedChildren,
  plainString,
  stringPieces,
  type SyntaxNode,
} from "./syntax.ts";

/** The files and all that they import of the plugin, those given first. */
export function reachableFiles(paths: readonly string[], trees: readonly SourceTree[]): string[] {
  const byPath = new Map(trees.map((tree) => [tree.path, tree]));
  const found = new Set<string>();
  const queue = [...paths];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (found.has(path)) continue;
    found.add(path);
    const tree = byPath.get(path);
    if (tree) queue.push(...importedBy(tree, byPath));
  }
  return [...found];
}

const known = new WeakMap<SourceTree, string[]>();

function importedBy(tree: SourceTree, byPath: ReadonlyMap<string, SourceTree>): string[] {
  const imported = known.get(tree) ??
    [...descendants(tree.root)].flatMap((node) => imports[tree.language](node, tree.path, byPath));
  known.set(tree, imported);
  return imported;
}

type ImportsOf = (node: SyntaxNode, path: string, byPath: ReadonlyMap<string, SourceTree>) => string[];

const imports: Record<SourceTree["language"], ImportsOf> = {
  typescript: fromModule,
  javascript: fromModule,
  python: fromPython,
  rust: fromRust,
  go: fromGo,
};

function fromModule(node: SyntaxNode, path: string, byPath: ReadonlyMap<string, SourceTree>): string[] {
  const isCall = node.type === "call_expression" &&
    /^(?:require|import)$/.test(namedChild(node, "function")?.text ?? "");
  const source = namedChild(node, "source") ??
    (isCall ? namedChildren(namedChild(node, "arguments"))[0] : undefined);
  const text = plainString(source);
  if (text === undefined || !text.startsWith(".")) return [];
  const base = posix.join(posix.dirname(path), text);
  const stem = base.replace(/\.[cm]?jsx?$/, "");
  const endings = ["", ".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".jsx"];
  const candidates = [
    base,
    ...endings.map((end) => stem + end),
    ...endings.map((end) => `${base}/index${end}`),
  ];
  return first(candidates, byPath);
}

const first = (candidates: readonly string[], byPath: ReadonlyMap<string, SourceTree>): string[] =>
  candidates.filter((path) => byPath.has(path)).slice(0, 1);

function fromPython(node: SyntaxNode, path: string, byPath: ReadonlyMap<string, SourceTree>): string[] {
  if (node.type !== "import_from_statement" && node.type !== "import_statement") return [];
  const module = namedChild(node, "module_name")?.text ?? "";
  const names = namedChildren(node).filter(({ field }) => field === "name").map((name) =>
    name.text.split(/\s+as\s+/)[0]!
  );
  const modules = module === ""
    ? names
    : [module, ...names.map((name) => `${module}${module.endsWith(".") ? "" : "."}${name}`)];
  return modules.flatMap((each) => pythonFile(each, path, byPath));
}

function pythonFile(module: string, path: string, byPath: ReadonlyMap<string, SourceTree>): string[] {
  const dots = /^\.*/.exec(module)![0].length;
  const rest = module.slice(dots).replaceAll(".", "/");
  const folder = posix.dirname(path);
  const roots = dots > 0
    ? [posix.join(folder, ...Array(dots - 1).fill(".."))]
    : [".", "src", folder, posix.dirname(folder)];
  const bases = roots.map((root) => posix.join(root, rest));
  return first(bases.flatMap((base) => [`${base}.py`, `${base}/__init__.py`]), byPath);
}

/** Files that `mod x;` names, in the same folder or below. */
function fromRust(node: SyntaxNode, path: string, byPath: ReadonlyMap<string, SourceTree>): string[] {
  if (node.type === "use_declaration") {
    const parent = /^use\s+(?:crate|super)::(\w+)/.exec(node.text)?.[1];
    return parent === undefined ? [] : first(rustFiles(posix.dirname(path), parent), byPath);
  }
  if (node.type !== "mod_item" || namedChild(node, "body") !== undefined) return [];
  const name = namedChild(node, "name")!.text;
  const folder = posix.dirname(path);
  const own = posix.basename(path, ".rs");
  return first([...rustFiles(folder, name), ...rustFiles(posix.join(folder, own), name)], byPath);
}

const rustFiles = (folder: string, name: string): string[] => [
  posix.join(folder, `${name}.rs`),
  posix.join(folder, name, "mod.rs"),
];

/** A package is a folder: its files run together, and an import path ends in its folder. */
function fromGo(node: SyntaxNode, path: string, byPath: ReadonlyMap<string, SourceTree>): string[] {
  const inFolder = (folder: string) =>
    [...byPath.keys()].filter((each) => each.endsWith(".go") && posix.dirname(each) === folder);
  if (node.type === "package_clause") return inFolder(posix.dirname(path));
  if (node.type !== "import_spec") return [];
  const module = stringPieces(namedChild(node, "path"))?.join("") ?? "";
  const folders = [...new Set([...byPath.keys()].map((each) => posix.dirname(each)))].filter((each) =>
    each !== "."
  );
  return folders.filter((folder) => module.endsWith(`/${folder}`)).flatMap(inFolder);
}
