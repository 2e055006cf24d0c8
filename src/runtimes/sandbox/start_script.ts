/**
 * The shell script that builds a sandbox around itself and becomes its keeper. It runs in a mount namespace of its own, so
 * that the kernel drops every mount with the last process. All mounts are one `mount -a` over a table: one program start
 * instead of twenty. `-n` keeps `mount` from noting them in the host's /run/mount/utab, where they mean nothing, and which
 * fails it where PTH is not root.
 */
import { basename, dirname } from "node:path";
import { type Layout, sandboxSourcePath } from "./layout.ts";
import type { Method } from "./isolation_support.ts";
import { quoted } from "../../platform/process.ts";

export interface SandboxPlan {
  layout: Layout;
  method: Method;
  hostname: string;
  /** Folder of the sandbox that it sees at /work/plugin, apart from its data: no snapshot holds it. */
  source: string;
  /** Host folders shared read-only, at a path of the sandbox. */
  shared: { hostPath: string; envPath: string }[];
  /** Saved data to start from. */
  snapshot?: string;
  /** Size of the data in MB, for data in memory. */
  sizeMB?: number;
  /** Small files of the sandbox's own, by path without the leading slash. */
  files: Record<string, string>;
  /** Host files copied in. */
  copies: { hostPath: string; envPath: string }[];
  /** A network of the sandbox's own, with nothing but its loopback; else the host's. */
  ownNetwork: boolean;
}

/** Folders of one life of a sandbox. `data/root` and `data/upper` are what a snapshot holds. */
export const sandboxFolders = (folder: string) => ({
  data: `${folder}/data`,
  root: `${folder}/data/root`,
  upper: `${folder}/data/upper`,
  mount: `${folder}/mount`,
  script: `${folder}/start.sh`,
  table: `${folder}/mounts`,
  innerTable: `${folder}/inner-mounts`,
});

/** The source of a sandbox, of all its lives. */
export const sourceOf = (box: string): string => `${box}/source`;

const isWhole = (plan: SandboxPlan): boolean => plan.layout.layers[0]?.path === "";
const words = (list: string[]): string => list.map(quoted).join(" ");
/** Name of the folder that holds a layer's upper side. */
export const layerFolderName = (path: string): string => path === "" ? "root" : path.replaceAll("/", "-");

/** A path as a mount table wants it. */
const cell = (path: string): string =>
  path.replaceAll("\\", "\\134").replaceAll(" ", "\\040").replaceAll("\t", "\\011").replaceAll("\n", "\\012");
const row = (what: string, where: string, type: string, options: string): string =>
  `${cell(what)} ${cell(where)} ${type} ${cell(options)} 0 0\n`;
/** In overlay options a colon separates lower folders and a comma options. */
const optionPath = (path: string): string => path.replaceAll(/[\\:,]/g, (char) => `\\${char}`);

/** Options by which setuid bits and devices count for nothing; bubblewrap, too, mounts everything like this. */
const dead = "nosuid,nodev";

/** The mounts that make the sandbox's root, in order. */
export function mountTable(folder: string, plan: SandboxPlan): string {
  const { mount, root, upper, data } = sandboxFolders(folder);
  const base = isWhole(plan) ? "" : row(root, mount, "none", `bind,${dead}`);
  const layers = plan.layout.layers.map(({ path, lower }) => {
    const where = path === "" ? mount : `${mount}/${path}`;
    if (plan.method.lower === "read-only") {
      return path === "etc" ? "" : row(lower, where, "none", `rbind,ro,${dead}`);
    }
    const [up, work] = [`${upper}/${layerFolderName(path)}`, `${data}/work/${layerFolderName(path)}`].map(
      optionPath,
    );
    const user = plan.method.lower === "user overlay" ? ",userxattr" : "";
    return row(
      "overlay",
      where,
      "overlay",
      `lowerdir=${optionPath(lower)},upperdir=${up},workdir=${work}${user},${dead}`,
    );
  });
  const shared = plan.shared.map(({ hostPath, envPath }) =>
    row(hostPath, mount + envPath, "none", `rbind,ro,${dead}`)
  );
  const source = row(plan.source, mount + sandboxSourcePath, "none", `bind,${dead}`);
  return [base, ...layers, ...shared, source].join("");
}

/** Parts of /proc that change the whole machine, and the parts of /sys that programs read: shown read-only. */
export const kernelPaths = ["/proc/sys", "/proc/irq", "/proc/bus", "/proc/sysrq-trigger"];
export const sysFolders = ["/sys/devices", "/sys/class", "/sys/bus"];
/** Tells of keys that lie with the user, whichever namespace asks: shown empty. */
export const keyList = "/proc/keys";

/**
 * Kernel folders, for a sandbox that bubblewrap does not build.
 * @param present Those of `kernelPaths`, `sysFolders` and `keyList` that this kernel has.
 */
export function innerMountTable(folder: string, present: readonly string[]): string {
  const { mount } = sandboxFolders(folder);
  const devices = ["null", "zero", "full", "random", "urandom", "tty"];
  const within = (paths: readonly string[]) => paths.filter((path) => present.includes(path));
  return [
    row("proc", `${mount}/proc`, "proc", "nosuid,nodev,noexec"),
    ...within(kernelPaths).map((path) => row(mount + path, mount + path, "none", "bind,ro")),
    ...within([keyList]).map((path) => row("/dev/null", mount + path, "none", "bind,ro")),
    ...devices.map((name) => row(`/dev/${name}`, `${mount}/dev/${name}`, "none", "bind")),
    row("devpts", `${mount}/dev/pts`, "devpts", "newinstance,ptmxmode=0666,mode=620,nosuid,noexec"),
    row("tmpfs", `${mount}/dev/shm`, "tmpfs", `mode=1777,${dead}`),
    ...within(sysFolders).map((path) => row(path, mount + path, "none", "rbind,ro")),
  ].join("");
}

/** @param folder Of this life of the sandbox; its tables are written, nothing is mounted yet. */
export function startScript(folder: string, plan: SandboxPlan): string {
  const { data, mount, table } = sandboxFolders(folder);
  const memory = plan.method.data === "memory";
  return [
    "set -eu; umask 022",
    memory &&
    `mount -n -t tmpfs -o mode=755,${dead}${plan.sizeMB ? `,size=${plan.sizeMB}m` : ""} pth-box ${
      quoted(data)
    }`,
    plan.snapshot
      ? `cp -a --reflink=auto ${quoted(plan.snapshot)}/. ${quoted(data)}/`
      : makeFolders(folder, plan),
    `mkdir -p ${quoted(mount)} ${quoted(plan.source)} ${
      words(plan.layout.layers.map(({ path }) => `${data}/work/${layerFolderName(path)}`))
    }`,
    `mount -n -a -T ${quoted(table)}`,
    plan.snapshot === undefined && fill(folder, plan),
    `cd /`,
    plan.method.enter === "bubblewrap" ? bubblewrap(folder, plan) : utilLinux(folder, plan),
  ].filter((line) => line !== false && line !== "").join("\n");
}

function makeFolders(folder: string, plan: SandboxPlan): string {
  const { root, upper } = sandboxFolders(folder);
  const { layers, links, folders } = plan.layout;
  const own = isWhole(plan) ? `${upper}/root` : root;
  const at = (path: string) => `${own}/${path}`;
  const places = [
    ...folders,
    ...layers.map(({ path }) => path),
    ...plan.shared.map(({ envPath }) => envPath.slice(1)),
  ];
  return [
    `mkdir -p ${
      words([...places.map(at), ...layers.map(({ path }) => `${upper}/${layerFolderName(path)}`)])
    }`,
    `chmod 1777 ${words(["tmp", ...folders.filter((path) => path === "var/tmp")].map(at))}`,
    ...linkCommands(links, at),
    // Files that this user may not read are private to others: they stay out.
    plan.method.lower === "read-only" && !isWhole(plan) &&
    `cp -a --no-preserve=ownership /etc/. ${quoted(at("etc"))}/ 2>/dev/null || :`,
  ].filter(Boolean).join("\n");
}

/** Links that are called like their target share one `ln` per folder: each program start takes a millisecond. */
function linkCommands(links: SandboxPlan["layout"]["links"], at: (path: string) => string): string[] {
  const alike = links.filter(({ path, target }) => basename(path) === basename(target));
  const folders = [...new Set(alike.map(({ path }) => dirname(path)))];
  const together = folders.map((folder) => {
    const targets = alike.filter(({ path }) => dirname(path) === folder).map(({ target }) => target);
    return `ln -s ${words(targets)} ${quoted(at(folder))}`;
  });
  const others = links.filter((link) => !alike.includes(link));
  return [...together, ...others.map(({ path, target }) => `ln -s ${quoted(target)} ${quoted(at(path))}`)];
}

/** Hides what is private and writes the sandbox's own small files; `printf` is built into the shell and starts nothing. */
function fill(folder: string, plan: SandboxPlan): string {
  const { mount } = sandboxFolders(folder);
  const own = Object.entries(plan.files);
  const writable = plan.method.lower === "read-only"
    ? plan.layout.hidden.filter((path) => path.startsWith("etc/"))
    : plan.layout.hidden;
  const gone = [...writable, ...own.map(([path]) => path)].map((path) => `${mount}/${path}`);
  return [
    gone.length > 0 && `rm -rf -- ${words(gone)}`,
    ...own.map(([path, content]) =>
      `${/shadow/.test(path) ? "umask 077" : "umask 022"}; printf %s ${quoted(content)} >${
        quoted(`${mount}/${path}`)
      }`
    ),
    "umask 022",
    ...plan.copies.flatMap(({ hostPath, envPath }) => [
      `mkdir -p ${quoted(mount + dirname(envPath))}`,
      `cp -- ${quoted(hostPath)} ${quoted(mount + envPath)}`,
    ]),
  ].filter(Boolean).join("\n");
}

/**
 * Process 1 of a sandbox: reaps orphans while it waits, and ends, with everything in the sandbox, when PTH's end of its stdin
 * closes. It says which helpers the sandbox has.
 */
const init =
  'found=; for tool in setsid setpriv; do command -v $tool >/dev/null && found="$found $tool"; done; ' +
  'echo "ready$found"; until cat >/dev/null; do :; done';

function bubblewrap(folder: string, plan: SandboxPlan): string {
  const { mount } = sandboxFolders(folder);
  // Bubblewrap leaves /proc/sys as it is when run by root: it would be the host's own, writable.
  const sys = [...kernelPaths, ...sysFolders].map((path) => `--ro-bind-try ${path} ${path}`).join(" ");
  return `keys=; [ -e ${keyList} ] && keys="--ro-bind /dev/null ${keyList}"\n` +
    `exec bwrap --bind ${quoted(mount)} / --dev /dev --proc /proc ${sys} $keys --unshare-pid --unshare-ipc ` +
    `${plan.ownNetwork ? "--unshare-net " : ""}--unshare-uts --hostname ${
      quoted(plan.hostname)
    } --die-with-parent --as-pid-1 --chdir / sh -c ${quoted(init)}`;
}

function utilLinux(folder: string, plan: SandboxPlan): string {
  const { mount, innerTable } = sandboxFolders(folder);
  const dev = `${quoted(mount)}/dev`;
  const inner = [
    "set -eu",
    plan.ownNetwork && "ip link set lo up",
    `hostname ${quoted(plan.hostname)} 2>/dev/null || printf %s ${
      quoted(plan.hostname)
    } >/proc/sys/kernel/hostname`,
    `mount -n -t tmpfs -o mode=755,nosuid pth-dev ${dev}`,
    `cd ${dev}; mkdir pts shm; : >null; : >zero; : >full; : >random; : >urandom; : >tty`,
    "ln -s pts/ptmx ptmx; ln -s /proc/self/fd fd; ln -s fd/0 stdin; ln -s fd/1 stdout; ln -s fd/2 stderr",
    `mkdir -p ${words(sysFolders.map((path) => mount + path))}`,
    `mount -n -a -T ${quoted(innerTable)}`,
    // The sandbox's root covers the old one, as when a machine starts; it cannot be unmounted inside. pivot_root would
    // need an `umount` of the new root, which an image may lack.
    `cd ${quoted(mount)}; mount -n --move . /`,
    `exec chroot . sh -c ${quoted(init)}`,
  ].filter((line) => line !== false).join("\n");
  const own = plan.ownNetwork ? "--net " : "";
  return `exec setpriv --pdeathsig KILL unshare ${own}--pid --uts --ipc --fork --kill-child=KILL ` +
    `unshare --mount sh -c ${quoted(inner)}`;
}
