/**
 * Parts of the host's root that a sandbox sees: an allow-list, so that nothing private is shown by oversight.
 * Whatever is not named here (homes, /run with its sockets, /tmp, /srv, other mounts) is an empty folder of
 * the sandbox's own.
 */
import { join, relative } from "node:path";
import { lstat, pathExists, readLink } from "../../platform/files.ts";
import { runCommand } from "../../platform/process.ts";

/** A folder of the lower side at its place in the sandbox; path "" is the whole root. */
export interface Layer {
  path: string;
  lower: string;
}

export interface Layout {
  layers: Layer[];
  /** Symbolic links of the root: /bin → usr/bin where the host has merged them. */
  links: { path: string; target: string }[];
  /** Folders that the sandbox has of its own. */
  folders: string[];
  /** Paths of the layers that must not be seen. */
  hidden: string[];
  /** Name of it in a report. */
  name: string;
}

const top = ["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "opt", "nix"];

/** State of package managers and of what packages generate; other folders of /var hold data of services. */
const variable = [
  ...["dpkg", "apt", "rpm", "dnf", "yum", "zypp", "pacman", "alternatives", "ucf", "pam", "python", "gems"],
  ...[
    "emacsen-common",
    "dictionaries-common",
    "aspell",
    "ispell",
    "xml-core",
    "sgml-base",
    "tex-common",
    "texmf",
  ],
  ...["ca-certificates-java", "systemd/deb-systemd-helper-enabled", "misc", "man-db"],
].map((name) => `var/lib/${name}`).concat("var/cache/debconf", "var/cache/fontconfig", "var/cache/ldconfig");

const folders = [
  ...[
    "root",
    "home",
    "tmp",
    "run",
    "run/lock",
    "mnt",
    "media",
    "srv",
    "dev",
    "proc",
    "sys",
    "work",
    "work/plugin",
  ],
  ...["var", "var/tmp", "var/log", "var/log/apt", "var/lib", "var/cache", "var/cache/apt/archives/partial"],
  ...["var/spool", "var/mail", "var/lib/systemd", "var/local", "var/opt"],
];

/** Path of the source in every sandbox. */
export const sandboxSourcePath = "/work/plugin";

/**
 * Time for which a reading of the host's root is valid, in ms: what becomes private later is hidden from
 * later sandboxes.
 */
const goodFor = 30_000;
let last: { at: number; layout: Promise<Layout> } | undefined;

/** Links and private files are looked up at most twice a minute; it takes longer than all the mounts together. */
export function hostLayout(): Promise<Layout> {
  const now = performance.now();
  if (last === undefined || now - last.at > goodFor) {
    const layout = readLayout("/");
    layout.catch(() => last = undefined);
    last = { at: now, layout };
  }
  return last.layout;
}

/** @param root Folder that stands for the host's root. */
export async function readLayout(root: string): Promise<Layout> {
  const [found, hidden] = await Promise.all([
    Promise.all([...top, ...variable].map((path) => look(root, path))),
    privatePaths(root),
  ]);
  const links = [{ path: "var/run", target: "/run" }, { path: "var/lock", target: "/run/lock" }];
  const layers: Layer[] = [];
  for (const each of found) {
    if (each !== undefined && "lower" in each) layers.push(each);
    else if (each !== undefined) links.push(each);
  }
  return { layers, links, folders, hidden, name: "host root" };
}

async function look(
  root: string,
  path: string,
): Promise<Layer | { path: string; target: string } | undefined> {
  const lower = join(root, path);
  if (!(await pathExists(lower))) return undefined;
  const info = await lstat(lower);
  if (info.isSymlink) return { path, target: await readLink(lower) };
  return info.isDirectory ? { path, lower } : undefined;
}

/** An unpacked base image, whole. */
export const imageLayout = (image: string, rootfs: string): Layout => ({
  layers: [{ path: "", lower: rootfs }],
  links: [],
  folders: ["dev", "proc", "sys", "run", "tmp", "work", "work/plugin"],
  hidden: [],
  name: image,
});

/**
 * Finds paths that not everyone on the host may read: keys, password hashes, connection secrets. Three levels
 * deep. Sudo's rules are no secret, and sudo fails without them. `find` is ten times quicker here than asking
 * file by file.
 */
async function privatePaths(root: string): Promise<string[]> {
  const tops = ["etc", "opt", "usr/etc", "usr/local/etc"].map((path) => join(root, path));
  const tests = [
    ...["-mindepth", "1", "-maxdepth", "3", "!", "-type", "l", "!", "-name", "sudoers*"],
    ...[
      "(",
      "!",
      "-perm",
      "-004",
      "-o",
      "-name",
      "shadow*",
      "-o",
      "-name",
      "gshadow*",
      "-o",
      "-name",
      "ssh_host_*_key",
    ],
    ...["-o", "-name", ".netrc", "-o", "-name", ".git-credentials", ")", "-prune", "-printf", "%p\\0"],
  ];
  // It complains of folders that are absent, or closed to PTH and then to the sandbox as well.
  const { stdout } = await runCommand(["find", ...tops, ...tests]);
  return stdout.split("\0").filter((path) => path !== "").map((path) => relative(root, path));
}
