/** Lists of the files of a folder, in the same words on the host and inside an environment. */
import { errorMessage, PthError } from "../../../core/errors.ts";
import { type ExitStatus, runCommand } from "../../../platform/process.ts";

export interface ListingEntry {
  /** Relative to the folder. */
  path: string;
  /** Kind, mode, size and time of change in one word: equal in two places where the file is. */
  state: string;
  isFolder: boolean;
}

export type Listing = ReadonlyMap<string, ListingEntry>;

/** Folders that an install fills; a link of such a name is the source's own. */
const installed: readonly string[] = ["node_modules", ".venv"];
const isInstalled: readonly string[] = [
  ...["-type", "d", "("],
  ...installed.flatMap((name) => ["-name", name, "-o"]).slice(0, -1),
  ")",
];

/** Fields of an entry, as `find -printf` names them. */
const fields = ["%P", "%y", "%m", "%s", "%T@", "%l"];
const print = (path: string): string => [path, ...fields.slice(1)].join("\\0") + "\\0";

/** Bytes: the names of some million files. */
export const largestListing = 256 * 1024 * 1024;

/**
 * Lists the files, folders and links of a folder of the host, without repositories and what is installed.
 * @param apart Relative paths that are left out with all below them.
 * @throws {PthError} `COPY_FAILED` where the listing is not whole
 */
export async function listHost(folder: string, apart: readonly string[]): Promise<Listing> {
  const paths = apart.flatMap((path) => ["-o", "-path", `./${path.replace(/[*?[\]\\]/g, "\\$&")}`]);
  // An environment sees no repository.
  const left = [...isInstalled, "-o", "-name", ".git", ...paths];
  const kinds = ["(", "-type", "f", "-o", "-type", "d", "-o", "-type", "l", ")"];
  const words = ["find", ".", "-xdev", "-mindepth", "1", "(", ...left, ")", "-prune", "-o"]
    .concat(kinds, ["-printf", print("%P")]);
  return listed(
    await runCommand(words, { cwd: folder, maxBytes: largestListing }).catch(notListed(folder)),
    folder,
  );
}

/** A folder that is not there stops `find` from being started in it. */
const notListed = (folder: string) => (cause: unknown): never => {
  throw new PthError("COPY_FAILED", `Cannot list ${folder}: ${errorMessage(cause)}`, {}, { cause });
};

/** Prints the entries of a folder that are named on its standard input, and makes the folder where it is missing. */
export const listInsideScript = 'mkdir -p -- "$1" && cd -- "$1" || exit 1; ' +
  `xargs -0 -r sh -c 'exec find "$@" -maxdepth 0 -printf "$0"' '${print("%p")}' 2>/dev/null; exit 0`;

/** Paths as `tar -T` and `xargs -0` read them; none is taken for an option. */
export const nulTerminated = (paths: Iterable<string>): string =>
  [...paths].map((path) => `./${path}\0`).join("");

/** Folders of the host that an install filled, at any depth, relative. */
export async function installedFolders(folder: string): Promise<string[]> {
  const words = ["find", ".", "-xdev", ...isInstalled, "-prune", "-printf", "%P\\0"];
  const listed = await runCommand(words, { cwd: folder, maxBytes: largestListing }).catch(notListed(folder));
  return listed.stdout.split("\0").filter((path) => path !== "");
}

/** Folders that Cargo builds into, found next to its manifests. */
export const cargoTargets = (listing: Listing): string[] =>
  [...listing.keys()].filter((path) => /(^|\/)Cargo\.toml$/.test(path)).map((path) =>
    path.replace(/Cargo\.toml$/, "target")
  );

function listed(
  { code, signal, stdout, stderr, truncated }: ExitStatus & {
    stdout: string;
    stderr: string;
    truncated: boolean;
  },
  place: string,
): Listing {
  // Code 1: a file vanished while it was listed, or a folder cannot be read at all.
  const isWhole = code === 0 || (code === 1 && (stdout !== "" || stderr === ""));
  if (isWhole && !truncated) return parseListing(stdout);
  const why = truncated ? "it holds too many files" : stderr.trim() || `it ended by ${signal ?? code}`;
  const next = /printf/.test(stderr) ? ["Put GNU find and GNU tar first on this machine's PATH"] : [];
  throw new PthError("COPY_FAILED", `Cannot list ${place}: ${why}`, { output: stderr, next });
}

/** Reads what `find` printed; entries that lead out of the folder are left out: an environment is not to be believed. */
export function parseListing(text: string): Listing {
  const words = text.split("\0");
  const listing = new Map<string, ListingEntry>();
  for (let at = 0; at + fields.length < words.length; at += fields.length) {
    const [found, kind, mode, size, modified, link] = words.slice(at, at + fields.length) as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const path = found.replace(/^\.\//, "");
    if (!staysWithin(path)) continue;
    const state = kind === "d"
      ? `d ${mode}`
      : kind === "l"
      ? `l ${link}`
      : `${kind} ${mode} ${size} ${modified}`;
    listing.set(path, { path, state, isFolder: kind === "d" });
  }
  return listing;
}

const staysWithin = (path: string): boolean =>
  path !== "" && !path.startsWith("/") && !path.split("/").some((part) => ["", ".", ".."].includes(part));
