/**
 * Brings a folder of the host into an environment, one way: the environment gets a copy of its own, and nothing of what
 * it does to that copy comes back. Later calls bring only what differs.
 */
import { pipeline } from "node:stream/promises";
import { PassThrough, type Readable } from "node:stream";
import type { MountInfo } from "../../../../machines/model/environment.ts";
import { errorMessage, PthError } from "../../../core/errors.ts";
import { firstLine } from "../../../core/text.ts";
import { collect, spawnProcess } from "../../../platform/process.ts";
import type { EnvironmentProcess, ExecOptions } from "../../runtime.ts";
import {
  cargoTargets,
  installedFolders,
  largestListing,
  listHost,
  type Listing,
  type ListingEntry,
  listInsideScript,
  nulTerminated,
  parseListing,
} from "./listing.ts";
import type { ExecResult } from "../../../../machines/model/environment_operations.ts";

/** An environment, as far as bringing a source into it needs one. */
export interface SourceReceiver {
  environmentId: string;
  /** Folder inside that is there and empty until something is brought into it; absent where none is known to be. */
  emptyAtFirst?: string;
  exec(command: readonly string[], options: ExecOptions): Promise<ExecResult>;
  /** Unpacks a tar archive into a folder that is there; what the archive does not name stays. */
  unpack(archive: Readable, envPath: string): Promise<void>;
}

/** The state of a folder as this process last brought it in. */
interface Brought {
  listing: Listing;
  /** Paths that the environment ever had from the host. */
  ever: ReadonlySet<string>;
  /** Folders of builds, which are brought once and belong to the environment from then on. */
  apart: readonly string[];
  /** The environment's disk went back in time: what it has now must be looked at. */
  wentBack?: true;
}

/** Limits in ms: for listing and removing, and for unpacking without progress. */
const [scriptLimitMs, stallMs] = [120_000, 60_000];

/** By environment, then by folder inside. */
const broughtInto = new Map<string, Map<string, Brought>>();
/** One at a time for each environment. */
const turns = new Map<string, Promise<unknown>>();

/**
 * Brings in what changed on the host since the last time: new and changed files go in, files that are gone are removed.
 * Files that installing, building and running made or changed inside stay.
 * @throws {PthError} `COPY_FAILED`, and what the environment fails with
 */
export async function bringSource(
  to: SourceReceiver,
  hostPath: string,
  envPath: string,
): Promise<MountInfo> {
  const turn = (turns.get(to.environmentId) ?? Promise.resolve()).then(() => bring(to, hostPath, envPath));
  turns.set(to.environmentId, turn.catch(() => {})); // the caller gets the error
  await turn;
  return { method: "copy", hostPath, envPath, writable: true, latency: "until the next load or reload" };
}

/** Forgets what an environment that is destroyed was given. */
export function forgetSource(environmentId: string): void {
  broughtInto.delete(environmentId);
  turns.delete(environmentId);
}

/** Makes the next bringing compare with what the environment has: its disk went back in time. */
export function resetSourceState(environmentId: string): void {
  for (const brought of broughtInto.get(environmentId)?.values() ?? []) brought.wentBack = true;
}

async function bring(to: SourceReceiver, hostPath: string, envPath: string): Promise<void> {
  const before = broughtInto.get(to.environmentId)?.get(envPath);
  const [now, folders] = await Promise.all([
    listHost(hostPath, before?.apart ?? []),
    before === undefined ? installedFolders(hostPath) : [],
  ]);
  const known = before?.wentBack
    ? await listInside(to, envPath, [...before.ever, ...now.keys()])
    : before?.listing;
  const isReplaced = (entry: ListingEntry) =>
    known?.has(entry.path) && !sameKind(known.get(entry.path), entry);
  const replaced = new Set([...now.values()].filter(isReplaced).map(({ path }) => path));
  const changed = [...now.values()].filter(({ path, state }) =>
    known?.get(path)?.state !== state ||
    // Behind a link that took a folder's place, files may look as they should.
    (replaced.size > 0 && foldersAbove(path).some((folder) => replaced.has(folder)))
  );
  const gone = [...known?.keys() ?? []].filter((path) => !now.has(path));
  const paths = changed.map(({ path }) => path);
  const replace = async () => {
    await clear(to, envPath, changed, gone);
    if (paths.length > 0) await send(to, hostPath, envPath, paths);
  };
  const nothingMakesWay = known === undefined
    ? to.emptyAtFirst === envPath
    : gone.length === 0 && changed.every((entry) => sameKind(known.get(entry.path), entry));
  if (!nothingMakesWay) {
    await replace();
  } else if (paths.length > 0) {
    // Unless the environment put something else there.
    await send(to, hostPath, envPath, paths).catch(replace);
  }
  if (folders.length > 0) await send(to, hostPath, envPath, folders, ["--recursion"]);
  const all = broughtInto.get(to.environmentId) ?? new Map<string, Brought>();
  broughtInto.set(to.environmentId, all);
  all.set(envPath, {
    listing: now,
    ever: new Set([...before?.ever ?? [], ...now.keys()]),
    apart: before?.apart ?? cargoTargets(now),
  });
}

/** Lists `a/b` and `a` of `a/b/c`. */
function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, parts.length - index).join("/"));
}

const sameKind = (one: ListingEntry | undefined, other: ListingEntry): boolean =>
  one?.state[0] === other.state[0];

/** Removes what is gone on the host, and what stands where something of another kind is to come. */
async function clear(
  to: SourceReceiver,
  envPath: string,
  changed: readonly ListingEntry[],
  gone: readonly string[],
): Promise<void> {
  const inside = await listInside(to, envPath, [...changed.map(({ path }) => path), ...gone]);
  const replaced = changed.filter(({ path, state }) => {
    const there = inside.get(path);
    return there !== undefined && there.state[0] !== state[0];
  });
  const there = gone.filter((path) => inside.has(path));
  const isFolder = (path: string) => inside.get(path)!.isFolder;
  const files = [...there.filter((path) => !isFolder(path)), ...replaced.map(({ path }) => path)].sort();
  await removeInside(to, envPath, files, 'cd -- "$1" && exec xargs -0 rm -rf --');
  // The deepest first; a folder that holds something of the environment's own stays.
  const folders = there.filter(isFolder).sort().reverse();
  await removeInside(to, envPath, folders, 'cd -- "$1" && xargs -0 rmdir -- 2>/dev/null; exit 0');
}

async function removeInside(
  to: SourceReceiver,
  envPath: string,
  paths: readonly string[],
  script: string,
): Promise<void> {
  if (paths.length === 0) return;
  const action = `Cannot remove files of ${envPath} in the environment`;
  await runInside(to, action, script, envPath, paths);
}

/** Lists those of the paths that the environment has, and makes the folder where it is missing. */
async function listInside(
  to: SourceReceiver,
  envPath: string,
  paths: readonly string[],
): Promise<Listing> {
  const action = `Cannot make ${envPath} in the environment`;
  // A `find` that does not know -printf lists nothing: then nothing makes way, and unpacking tells.
  return parseListing((await runInside(to, action, listInsideScript, envPath, paths)).stdout);
}

/** Runs a script on paths; the programs that it calls are the environment's, and may never end. */
async function runInside(
  to: SourceReceiver,
  action: string,
  script: string,
  envPath: string,
  paths: readonly string[],
): Promise<ExecResult> {
  const signal = AbortSignal.timeout(scriptLimitMs);
  const options = { cwd: "/", stdin: nulTerminated(paths), maxBytes: largestListing, signal };
  const result = await to.exec(["sh", "-c", script, "sh", envPath], options).catch((error) => {
    throw signal.aborted ? tooSlow(action, scriptLimitMs, error) : error;
  });
  if (result.code === 0) return result;
  const why = firstLine(result.stderr) || `ended with ${result.code ?? result.signal}`;
  throw new PthError("COPY_FAILED", `${action}: ${why}`, { output: result.stderr });
}

const tooSlow = (action: string, limitMs: number, cause?: unknown): PthError =>
  new PthError("COPY_FAILED", `${action}: nothing happened for ${limitMs / 1000} s`, {
    next: [{ mcp: "Provision the environment anew: pth_reprovision_environment" }],
  }, { cause });

/** Packs as root's, with times to the nanosecond; links are packed as links, and what vanished meanwhile is left out. */
const packArguments = [
  "-c",
  "--format=pax",
  "--pax-option=delete=atime,delete=ctime",
  "--ignore-failed-read",
  "--owner=0",
  "--group=0",
  "--numeric-owner",
];

async function send(
  to: SourceReceiver,
  hostPath: string,
  envPath: string,
  paths: readonly string[],
  options: readonly string[] = ["--no-recursion"],
): Promise<void> {
  const words = ["tar", ...packArguments, ...options, "--null", "-T", "-"];
  const tar = await spawnProcess(words, { cwd: hostPath });
  const said = collect(tar.stderr);
  const archive = tar.stdout.pipe(new PassThrough()); // Node drops unread output of a process that ended
  tar.stdin.end(nulTerminated(paths));
  try {
    await to.unpack(archive, envPath);
  } catch (error) {
    tar.kill("SIGKILL");
    throw error;
  }
  const { code, signal } = await tar.exited;
  // 1: a file changed while it was read; the next time brings it.
  if (code === 0 || code === 1) return;
  throw new PthError("COPY_FAILED", `Cannot pack ${hostPath}: tar ended with ${code ?? signal}`, {
    output: said.text(),
  });
}

/** Codes of what is written to a process that has ended. */
const endedEarly = ["EPIPE", "ECONNRESET", "ERR_STREAM_PREMATURE_CLOSE", "ERR_STREAM_DESTROYED"];

/** Process that takes an archive. */
interface Unpacking extends Omit<EnvironmentProcess, "pid" | "kill"> {
  kill(signal: NodeJS.Signals): unknown;
}

/** Unpacks by a `tar` that runs inside the environment; one that takes nothing any more is ended. */
export async function unpackBy(
  spawn: (command: readonly string[]) => Promise<Unpacking>,
  archive: Readable,
  envPath: string,
): Promise<void> {
  const child = await spawn(["tar", "-x", "-p", "--no-same-owner", "-C", envPath]);
  child.stdout.resume();
  const said = collect(child.stderr);
  const action = `Cannot unpack at ${envPath} in the environment`;
  let broken: unknown;
  let stuck = false;
  const stop = () => {
    stuck = true;
    child.stdin.destroy();
    void child.kill("SIGKILL");
  };
  let timer = setTimeout(stop, stallMs);
  archive.on("data", () => {
    clearTimeout(timer);
    if (!stuck) timer = setTimeout(stop, stallMs);
  });
  const isGone = archive.destroyed;
  await pipeline(archive, child.stdin).catch((error) => {
    broken = error;
    // A tar that ended early says why itself, by its exit code. Where the archive breaks off, not every way tells it.
    if (isGone || !endedEarly.includes(error.code)) void child.kill("SIGKILL");
  });
  const { code, signal } = await child.exited;
  clearTimeout(timer);
  if (stuck) throw tooSlow(action, stallMs);
  // It may end before Node notices that it has read all.
  if (code === 0 && (broken === undefined || archive.readableEnded)) return;
  const why = firstLine(said.text()) ||
    (code === 0 ? errorMessage(broken) : `ended with ${code ?? signal}`);
  throw new PthError("COPY_FAILED", `${action}: ${why}`, { output: said.text() });
}
