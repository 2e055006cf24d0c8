// First part of the sampler: reads /proc, finds the processes of a tree, and who holds their pipes.
import fs from "node:fs";
import process from "node:process";

export const root = Number(process.env.PTH_STUCK_PID);
/** Bound of one sample. */
const mostProcesses = 400;
const mostWatched = 6;

const buffer = Buffer.alloc(65536);
/** Text of a file below /proc, at most 64 KiB; undefined where it is gone or not to be read. */
export function read(path) {
  let file;
  try {
    file = fs.openSync(path, "r");
    return buffer.latin1Slice(0, fs.readSync(file, buffer, 0, buffer.length, null));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}
export function list(path) {
  try {
    return fs.readdirSync(path);
  } catch {
    return undefined;
  }
}
export function linkOf(path) {
  try {
    return fs.readlinkSync(path);
  } catch {
    return undefined;
  }
}
export function memory(pid, address, length) {
  let file;
  try {
    file = fs.openSync(`/proc/${pid}/mem`, "r");
    const bytes = Buffer.alloc(length);
    return fs.readSync(file, bytes, 0, length, address) === length ? bytes : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

export const monotonicMs = () => Number(process.hrtime.bigint() / 1000n) / 1000;
export const statOf = (text) => {
  const end = text.lastIndexOf(")");
  const fields = text.slice(end + 2).split(" ");
  return {
    name: text.slice(text.indexOf("(") + 1, end),
    state: fields[0],
    parent: Number(fields[1]),
    flags: Number(fields[6]),
    ticks: Number(fields[11]) + Number(fields[12]),
    faults: fields[7],
    start: Number(fields[19]),
  };
};

const hasChildren = fs.existsSync(`/proc/${process.pid}/task/${process.pid}/children`);
/** Children by parent, where the kernel does not list them itself. */
function childrenByParent() {
  const children = new Map();
  for (const entry of list("/proc") ?? []) {
    if (!/^\d+$/.test(entry)) continue;
    const text = read(`/proc/${entry}/stat`);
    if (text === undefined) continue;
    const { parent } = statOf(text);
    children.set(parent, [...children.get(parent) ?? [], Number(entry)]);
  }
  return children;
}
/** Marks of the run that the root carries: what it starts carries them, too, also where it leaves its parent. */
const marksOf = (pid) =>
  (read(`/proc/${pid}/environ`) ?? "").split("\0").filter((entry) => /^PTH_TESTS_\w+=1$/.test(entry));
let marks;
/** Processes outside of the tree that are younger than it: when each began, and whether it carries the marks. */
let others = new Map();
/** Processes of the run that have left the tree, without those that they started themselves. */
function findStrays(inside) {
  marks ??= marksOf(root);
  if (marks.length === 0) return [];
  const rootStart = statOf(read(`/proc/${root}/stat`) ?? ") ").start;
  const seen = new Map();
  for (const entry of list("/proc") ?? []) {
    const pid = Number(entry);
    if (!/^\d+$/.test(entry) || inside.has(pid) || pid === process.pid) continue;
    const { start, parent } = statOf(read(`/proc/${pid}/stat`) ?? ") ");
    if (!(start >= rootStart)) continue;
    const known = others.get(pid);
    const isOfRun = known?.start === start ? known.isOfRun : marks.every((own) => marksOf(pid).includes(own));
    seen.set(pid, { start, parent, isOfRun });
  }
  others = seen;
  return [...seen].filter(([, { parent, isOfRun }]) => isOfRun && seen.get(parent)?.isOfRun !== true)
    .map(([pid]) => pid);
}

let strays = [];
/**
 * Processes of the tree with their threads, each after its parent, and those that have left it.
 * @param looks whether to look for the latter anew, which costs a look at all processes of the machine
 */
export function tree(looks) {
  const found = [], todo = [{ pid: root, parent: 0 }], known = new Set();
  const byParent = hasChildren ? undefined : childrenByParent();
  let complete = true, hasStrays = false;
  for (;;) {
    if (todo.length === 0) {
      if (hasStrays || found.length === 0) break;
      hasStrays = true;
      if (looks) strays = findStrays(known);
      todo.push(...strays.map((pid) => ({ pid, parent: 0 })));
      continue;
    }
    const { pid, parent } = todo.pop();
    if (known.has(pid)) continue;
    known.add(pid);
    const threads = list(`/proc/${pid}/task`);
    if (threads === undefined) continue;
    if (found.length >= mostProcesses) {
      complete = false;
      break;
    }
    found.push({ pid, parent, threads });
    const children = byParent?.get(pid) ??
      threads.flatMap((tid) =>
        (read(`/proc/${pid}/task/${tid}/children`) ?? "").split(" ").filter(Boolean).map(Number)
      );
    for (const child of children) todo.push({ pid: child, parent: pid });
  }
  return { found, complete };
}

/** Links of pipes that processes older than the tree hold; they come to hold none that the tree makes later. */
let older;
/** Pipes that the root has from its parent: their other end may be where it cannot be seen. */
export let inherited;
let scan;
/** Holders of all pipes: pids with the way they are open, by link; `unknown` where one could not be looked at. */
function scanPipes(pids, taken) {
  if (scan?.taken === taken) return scan;
  const holders = new Map();
  const inside = new Set(pids);
  const rootStart = statOf(read(`/proc/${root}/stat`) ?? ") ").start;
  const first = older === undefined;
  older ??= new Set();
  let unknown = false;
  for (const entry of list("/proc") ?? []) {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) continue;
    const pid = Number(entry), text = read(`/proc/${pid}/stat`);
    if (text === undefined) continue;
    const { start, flags, state } = statOf(text);
    const isOld = !inside.has(pid) && start < rootStart;
    if ((isOld && !first) || (flags & 0x200000) !== 0 || state === "Z" || state === "X") continue;
    const files = list(`/proc/${pid}/fd`);
    if (files === undefined) {
      // One that has ended meanwhile holds nothing.
      unknown ||= !isOld && read(`/proc/${pid}/stat`) !== undefined;
      continue;
    }
    for (const file of files) {
      const link = linkOf(`/proc/${pid}/fd/${file}`);
      if (!link?.startsWith("pipe:")) continue;
      if (isOld) older.add(link);
      else {
        const flags = Number.parseInt(
          /flags:\s+(\d+)/.exec(read(`/proc/${pid}/fdinfo/${file}`) ?? "")?.[1] ?? "2",
          8,
        );
        holders.set(link, [...holders.get(link) ?? [], { pid, mode: flags & 3, inside: inside.has(pid) }]);
      }
    }
  }
  return scan = { taken, holders, unknown };
}
/** Pids of the tree that alone hold the other end of a pipe; undefined where it leads out of the tree, or may. */
function peersOf(link, wants, pids, taken) {
  if (inherited.has(link)) return undefined;
  if (taken === undefined) return undefined;
  const pipes = scanPipes(pids, taken);
  if (pipes.unknown || older.has(link)) return undefined;
  const all = pipes.holders.get(link) ?? [];
  if (all.some(({ inside }) => !inside)) return undefined;
  const other = all.filter(({ mode }) =>
    wants === "any" || mode === 2 || mode === (wants === "writers" ? 1 : 0)
  );
  // With nobody at its other end a wait would have ended: the other end is where it cannot be seen.
  return other.length === 0 ? undefined : [...new Set(other.map(({ pid }) => pid))];
}

/** Table of the sockets of a process's network, at most 1 MiB. */
function table(path) {
  let file, text = "";
  try {
    file = fs.openSync(path, "r");
    for (let count = 1; count > 0 && text.length < 1024 * 1024;) {
      count = fs.readSync(file, buffer, 0, buffer.length, null);
      text += buffer.latin1Slice(0, count);
    }
  } catch {
    // The process is gone, or there is no such kind of network: what was read is all.
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
  return text.split("\n");
}
const standardFiles = ["its stdin", "its stdout", "its stderr"];
/** Names of sockets by their links. */
const socketNames = new Map();
const mostSocketNames = 1000;
/** Address as `/proc/net/tcp` and `tcp6` write it: words of 32 bits, each in the order of this machine's bytes. */
function addressOf(text) {
  const [hex, port] = text.split(":");
  const words = hex.match(/.{8}/g).map((word) => Buffer.from(word, "hex").reverse());
  const bytes = Buffer.concat(words);
  const isV4 = bytes.length === 4 || (bytes.readBigUInt64BE(0) === 0n && bytes.readUInt32BE(8) === 0xffff);
  const address = isV4
    ? [...bytes.subarray(-4)].join(".")
    : `[${
      bytes.toString("hex").match(/.{4}/g).map((each) => Number.parseInt(each, 16).toString(16)).join(":")
    }]`;
  return `${address}:${Number.parseInt(port, 16)}`;
}
/** Name of a socket by its peer; the link itself where the tables do not have it, or are longer than what is read. */
function socketName(pid, link) {
  const known = socketNames.get(link);
  if (known !== undefined) return known;
  const inode = link.slice("socket:[".length, -1);
  for (const kind of ["tcp", "tcp6"]) {
    for (const line of table(`/proc/${pid}/net/${kind}`)) {
      const [, local, remote, state, , , , , , of] = line.trim().split(/\s+/);
      if (of !== inode) continue;
      if (state === "02") return `a connection to ${addressOf(remote)} that is not accepted`;
      const name = state === "0A" ? `clients at ${addressOf(local)}` : `a connection to ${addressOf(remote)}`;
      return keepSocketName(link, name);
    }
  }
  for (const line of table(`/proc/${pid}/net/unix`)) {
    const [, , , , , , of, path] = line.trim().split(/\s+/);
    if (of === inode) {
      return keepSocketName(link, path ? `the socket ${path.slice(0, 100)}` : "a socket pair");
    }
  }
  return keepSocketName(link, link);
}
function keepSocketName(link, name) {
  if (socketNames.size >= mostSocketNames) socketNames.clear();
  socketNames.set(link, name);
  return name;
}
function nameOfFile(pid, file, link) {
  if (file >= 0 && file < standardFiles.length) return standardFiles[file];
  return link.startsWith("socket:") ? socketName(pid, link) : link.slice(0, 120);
}

/**
 * True where the kernel itself may write to event descriptors: it does so for a ring of io_uring with work under way. One
 * without has answered all that it took; Node keeps such for its event loops.
 */
const hasBusyRing = (pids) =>
  pids.some((pid) =>
    (list(`/proc/${pid}/fd`) ?? []).some((file) =>
      linkOf(`/proc/${pid}/fd/${file}`) === "anon_inode:[io_uring]" && isBusy(`/proc/${pid}/fdinfo/${file}`)
    )
  );

function isBusy(path) {
  const about = read(path) ?? "";
  const [, taken] = /^CachedSqHead:\s*(\d+)$/m.exec(about) ?? [];
  const [, answered] = /^CachedCqTail:\s*(\d+)$/m.exec(about) ?? [];
  return taken === undefined || taken !== answered || !/^PollList:\nCqOverflowList:$/m.test(about);
}

/** File descriptors that a thread waits for, described, and the pids of the tree that alone can end the wait. */
export function watch(pid, files, wants, pids, taken) {
  const watched = [];
  const peers = new Set();
  let outside = false;
  for (const file of files) {
    const link = linkOf(`/proc/${pid}/fd/${file}`) ?? `fd ${file}`;
    let name = nameOfFile(pid, file, link);
    if (link === "anon_inode:[eventfd]") {
      if (hasBusyRing(pids)) outside = true;
      else for (const each of pids) peers.add(each);
    } else if (link.startsWith("pipe:")) {
      const found = peersOf(link, wants, pids, taken);
      if (found === undefined) {
        outside = true;
        if (name === link && taken !== undefined) name = "a pipe from outside";
      } else for (const each of found) peers.add(each);
    } else outside = true;
    if (watched.length < mostWatched) watched.push(name);
  }
  return outside ? { watched } : { watched, peers: [...peers] };
}
