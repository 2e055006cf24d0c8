/** Files of a package inside an environment: listed once, read by name. */
import { posix } from "node:path";
import { PthError } from "../core/errors.ts";
import { assetText } from "../platform/asset_text.ts";
import { batchedReader, type RunCommandInside } from "../plugin/run_command_inside.ts";

export interface TreeEntry {
  kind: "file" | "program" | "link";
  /** Target of a link, as it is written. */
  target?: string;
}

/** A package's files, without repositories and what an install brings. */
export interface PackageTree {
  readonly entries: ReadonlyMap<string, TreeEntry>;
  /** Whether a file or folder is there, the case of its letters as given. */
  has(path: string): boolean;
  /** Path that differs in the case of letters alone. */
  likeCase(path: string): string | undefined;
  /** Text of a file of at most 1 MiB; undefined where there is none. */
  read(path: string): Promise<string | undefined>;
}

const mostEntries = 20_000;
const limitMs = 30_000;
const mebibyte = 1024 * 1024;

/** @throws {PthError} `EXEC_FAILED` where the folder is not there, or holds too much */
export async function insideTree(run: RunCommandInside, folder: string): Promise<PackageTree> {
  const { code, stdout } = await run(
    ["sh", "-c", assetText("install/list_tree.sh"), "sh", folder],
    { cwd: "/", signal: AbortSignal.timeout(limitMs), maxBytes: 32 * mebibyte },
  );
  if (code !== 0) throw new PthError("EXEC_FAILED", `Cannot list ${folder} of the environment`);
  const records = stdout.split("\0").filter((record) => record !== "");
  if (records.length > mostEntries) {
    throw new PthError("EXEC_FAILED", `Cannot check ${folder}: it holds more than ${mostEntries} files`, {
      next: ["Give a folder that holds the package alone"],
    });
  }
  const entries = new Map<string, TreeEntry>();
  for (const record of records) {
    const [kind = "", path = "", target = ""] = record.split("\n");
    const name = path.replace(/^\.\//, "");
    if (kind === "link") entries.set(name, { kind, target });
    else if (kind === "file" || kind === "program") entries.set(name, { kind });
  }
  return packageTree(entries, batchedReader(run, folder));
}

/** Makes a tree of entries and a reader. */
export function packageTree(
  entries: ReadonlyMap<string, TreeEntry>,
  read: PackageTree["read"],
): PackageTree {
  const places = new Set<string>([""]);
  for (const path of entries.keys()) {
    for (let at = path; at !== "." && !places.has(at); at = posix.dirname(at)) places.add(at);
  }
  let lower: Map<string, string> | undefined;
  const has = (path: string, depth = 0): boolean => {
    const name = posix.normalize(path).replace(/\/$/, "").replace(/^\.$/, "");
    const { kind, target } = entries.get(name) ?? {};
    if (kind !== "link") return places.has(name) || throughLink(name, depth);
    const led = resolvedLink(name, target!);
    return depth < 10 && led !== undefined && has(led, depth + 1);
  };
  /** A path below a link that stays within the package. */
  const throughLink = (name: string, depth: number): boolean => {
    for (let at = posix.dirname(name); at !== "." && at !== "/"; at = posix.dirname(at)) {
      const { kind, target } = entries.get(at) ?? {};
      if (kind !== "link") continue;
      const led = resolvedLink(at, target!);
      return depth < 10 && led !== undefined && has(posix.join(led, name.slice(at.length + 1)), depth + 1);
    }
    return false;
  };
  return {
    entries,
    has: (path) => has(path),
    likeCase(path) {
      lower ??= new Map([...places].map((place) => [place.toLowerCase(), place]));
      const name = posix.normalize(path).replace(/\/$/, "");
      const found = lower.get(name.toLowerCase());
      return found === name ? undefined : found;
    },
    read,
  };
}

/** Path in the package to which a link leads; undefined for one that leads out of it. */
export function resolvedLink(path: string, target: string): string | undefined {
  if (target.startsWith("/")) return undefined;
  const led = posix.join(posix.dirname(path), target);
  return led === ".." || led.startsWith("../") ? undefined : led;
}
