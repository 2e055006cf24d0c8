/** Files that a package.json names. */
import { isObject } from "../core/values.ts";
import { binsOf } from "../plugin/find_start.ts";
import type { PackageJson } from "../plugin/package_json.ts";

interface ManifestPath {
  /** Key in the manifest: `exports["./x"].import`. */
  key: string;
  path: string;
  /** Endings that Node tries by itself. */
  endings: readonly string[];
}

/** An entry that can be imported: its subpath is empty for the package itself. */
interface PackageEntry {
  key: string;
  subpath: string;
}

const asWritten = [""];
const asMain = ["", ".js", ".json", ".node", "/index.js", "/index.json", "/index.node"];
const deepest = 8;

/** Every file that has to be there; patterns are left out. */
export function manifestPaths(manifest: PackageJson): ManifestPath[] {
  const { main, exports, files, types, typings } = manifest as PackageJson & Record<string, unknown>;
  const single = (key: string, value: unknown, endings = asWritten): ManifestPath[] =>
    typeof value === "string" && value !== "" ? [{ key, path: value, endings }] : [];
  const bins = Object.entries(binsOf(manifest));
  return [
    ...single("main", main, asMain),
    ...single("types", types),
    ...single("types", typings),
    ...bins.flatMap(([name, path]) => single(bins.length === 1 ? "bin" : `bin.${name}`, path)),
    ...exported("exports", exports),
    ...(Array.isArray(files) ? files : []).flatMap((entry: unknown, index) =>
      typeof entry === "string" && !/[*?[\]{}!]/.test(entry)
        ? single(`files[${index}]`, entry.replace(/^\/+/, ""))
        : []
    ),
  ].filter(({ path }) => !path.includes("*"));
}

function exported(key: string, value: unknown, depth = 0): ManifestPath[] {
  if (typeof value === "string") return [{ key, path: value, endings: asWritten }];
  if (depth > deepest || typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return exported(key, value[0], depth + 1);
  return Object.entries(value).flatMap(([name, inner]) =>
    exported(name.startsWith(".") ? `${key}["${name}"]` : `${key}.${name}`, inner, depth + 1)
  );
}

/** The entries that a program can import: modules, not data and not types alone. */
export function moduleEntries({ main, exports }: PackageJson): PackageEntry[] {
  if (exports === undefined || exports === null) {
    return main !== undefined && isModule(main) ? [{ key: "main", subpath: "" }] : [];
  }
  const subpaths = isObject(exports) && Object.keys(exports).some((key) => key.startsWith("."))
    ? Object.entries(exports)
    : [[".", exports] as const];
  return subpaths.flatMap(([name, target]) => {
    const file = imported(target);
    return name.includes("*") || file === undefined || !isModule(file)
      ? []
      : [{ key: name === "." ? "exports" : `exports["${name}"]`, subpath: name.slice(1) }];
  });
}

const isModule = (path: string): boolean => /\.[cm]?js$|\/[^./]+$|^[^./]+$/.test(path);

/** Target that `import` takes on Node. */
function imported(target: unknown, depth = 0): string | undefined {
  if (typeof target === "string") return target;
  if (depth > deepest || typeof target !== "object" || target === null) return undefined;
  if (Array.isArray(target)) return imported(target[0], depth + 1);
  for (const [condition, inner] of Object.entries(target)) {
    if (!["node", "import", "module-sync", "node-addons", "default"].includes(condition)) continue;
    const found = imported(inner, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
