/** What lies in a folder, told by `find` in the same words on the host and in a guest, and what differs between two tellings. */
import { PthError } from "../../../errors.ts";
import type { ExitStatus } from "../../../platform/process.ts";

export interface Entry {
  /** Relative to the folder. */
  path: string;
  /** Kind, mode, size and time of change in one word: equal on two machines where a file is. */
  what: string;
  /** The same, and when the system last touched it: equal on one machine as long as nothing happened to it. */
  state: string;
  isFolder: boolean;
}

export type Listing = ReadonlyMap<string, Entry>;

/** Folders that an install or a build fills: each machine has its own (dependencies fit the system that they lie on). */
export const ownFolders: readonly string[] = ["node_modules", ".venv"];
/** Not for an environment's eyes. */
const hidden = [".git"];
/** Names of all that is not brought from one side to the other. */
export const leftOut: readonly string[] = [...ownFolders, ...hidden];

const fields = ["%P", "%y", "%m", "%s", "%T@", "%C@", "%l"];

/**
 * The command that lists the folder it runs in.
 * @param apart Paths, relative, that are left out, too.
 */
export function listCommand(apart: readonly string[]): string[] {
  const names = leftOut.flatMap((name) => ["-name", name, "-o"]);
  const paths = apart.flatMap((path) => ["-path", `./${escaped(path)}`, "-o"]);
  const left = [...names, ...paths].slice(0, -1);
  const print = `${fields.join("\\0")}\\0`;
  return ["find", ".", "-xdev", "-mindepth", "1", "(", ...left, ")", "-prune", "-o"].concat([
    "(",
    ...["-type", "f", "-o", "-type", "d", "-o", "-type", "l"],
    ")",
    "-printf",
    print,
  ]);
}

/** As `-path` takes it literally. */
const escaped = (path: string): string => path.replace(/[*?[\]\\]/g, "\\$&");

/**
 * What the command said, where it said all: what a listing does not name is removed on the other side.
 * @throws {PthError} `COPY_FAILED`
 */
export function listed(
  { code, signal, stdout, stderr, truncated }: ExitStatus & {
    stdout: string;
    stderr: string;
    truncated: boolean;
  },
  place: string,
): Listing {
  // What vanishes while it is listed is told on stderr, and by code 1; so is a folder that cannot be read at all.
  const isWhole = code === 0 || (code === 1 && (stdout !== "" || stderr === ""));
  if (isWhole && !truncated) return parseListing(stdout);
  const why = truncated ? "it holds too many files" : stderr.trim() || `it ended by ${signal ?? code}`;
  throw new PthError("COPY_FAILED", `Cannot list ${place}: ${why}`, { output: stderr });
}

/** Entries that lead out of the folder are left out: a guest is not to be believed. */
export function parseListing(text: string): Listing {
  const words = text.split("\0");
  const listing = new Map<string, Entry>();
  for (let at = 0; at + fields.length < words.length; at += fields.length) {
    const [path, kind, mode, size, modified, changed, link] = words.slice(at, at + fields.length) as [
      string,
      ...string[],
    ] as [string, string, string, string, string, string, string];
    if (!staysWithin(path)) continue;
    const isFolder = kind === "d";
    const what = isFolder ? `d ${mode}` : kind === "l" ? `l ${link}` : `f ${mode} ${size} ${modified}`;
    listing.set(path, { path, what, state: isFolder ? what : `${what} ${modified} ${changed}`, isFolder });
  }
  return listing;
}

const staysWithin = (path: string): boolean =>
  path !== "" && !path.startsWith("/") && !path.split("/").some((part) => ["", ".", ".."].includes(part));

export interface Difference {
  /** New or changed, parents before what they hold. */
  changed: string[];
  /** Gone; what a gone folder held is not named again. */
  removed: string[];
}

/** What happened from one listing to the next, by the property that tells it. */
export function difference(before: Listing, after: Listing, by: "what" | "state"): Difference {
  const changed = [...after.values()].filter((entry) => before.get(entry.path)?.[by] !== entry[by]);
  const gone = new Set([...before.keys()].filter((path) => !after.has(path)));
  const removed = [...gone].filter((path) => !foldersAbove(path).some((folder) => gone.has(folder))).sort();
  return { changed: changed.map(({ path }) => path).sort(), removed };
}

/** `a/b`, `a` of `a/b/c`. */
export function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, parts.length - index).join("/"));
}

export const isEmpty = ({ changed, removed }: Difference): boolean =>
  changed.length === 0 && removed.length === 0;

/** Those of the changed that stand where another kind of thing stood, and so must make way first. */
export const replaced = ({ changed }: Difference, before: Listing, after: Listing): string[] =>
  changed.filter((path) => {
    const [old, now] = [before.get(path), after.get(path)];
    return old !== undefined && now !== undefined && old.what[0] !== now.what[0];
  });
