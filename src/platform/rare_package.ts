/**
 * npm packages with native parts that few sessions need. Where packages are installed with the code they are imported
 * like others. A bundle has none of them: one is installed when it is first needed, into the bundle's folder or, where that
 * belongs to someone else, into the user's.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { errorMessage, PthError } from "../core/errors.ts";
import {
  copyFile,
  isNoSpace,
  mkdir,
  pathExists,
  readDir,
  readTextFile,
  removeIfExists,
  rename,
  stat,
  writeTextFile,
} from "./files.ts";
import { log } from "./log.ts";
import { isBundled, ownFile, ownRoot } from "./own_files.ts";
import { mkdtemp } from "node:fs/promises";
import process from "node:process";
import { freeSpaceMiB } from "./append_durably.ts";
import { readEnv, stateDir } from "./host.ts";
import { runCommand } from "./process.ts";
import { canMakeFolderIn } from "./writable.ts";

export interface RarePackage<Module> {
  name: string;
  /** Words for people: "draws pictures". */
  purpose: string;
  /** Imports it where packages are installed with the code. */
  load(): Promise<Module>;
}

const loading = new Map<string, Promise<unknown>>();

/**
 * Loads it once; after a failure the next use tries again.
 * @param tell Called when npm starts
 * @throws {PthError} `INSTALL_FAILED` where npm is missing, reaches no registry or cannot write
 */
export async function rarePackage<Module>(
  rare: RarePackage<Module>,
  tell: (text: string) => void = (text) => log.info(text),
): Promise<Module> {
  if (!isBundled()) return await rare.load();
  let module = loading.get(rare.name);
  if (module === undefined) {
    module = loadInstalled(rare, tell);
    loading.set(rare.name, module);
    module.catch(() => loading.delete(rare.name));
  }
  return await module as Module;
}

async function loadInstalled({ name, purpose }: RarePackage<unknown>, tell: (text: string) => void) {
  const folder = await folderOf(name);
  if (!(await pathExists(folder))) {
    tell(`Installing ${name}, which ${purpose}: once, some seconds`);
    await installPackage(name, folder);
  }
  try {
    return await import(pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)).href);
  } catch (cause) {
    const next = [`Remove ${folder}: the next use installs it again`];
    throw new PthError("INSTALL_FAILED", `Cannot load ${name}: ${errorMessage(cause)}`, { next }, { cause });
  }
}

/** A bundle is replaced by an update, with what is in it; in the user's folder each version has its own. */
async function folderOf(name: string): Promise<string> {
  const own = ownFile(join("rare", name.replace("/", "+")));
  if (existsSync(own) || canMakeFolderIn(ownRoot())) return own;
  return join(stateDir(), "rare", `${name.replace("/", "+")}@${await versionOf(name)}`);
}

/** Milliseconds that npm may take. */
const limitMs = 120_000;

/** The larger one takes 28 MiB unpacked, and npm keeps what it fetched. */
const neededMiB = 64;

/** Options that hold whatever the user's configuration says. */
const options = [
  "--no-global",
  "--package-lock=true",
  "--ignore-scripts",
  "--omit=dev",
  "--include=optional",
  "--no-audit",
  "--no-fund",
  "--no-update-notifier",
  "--loglevel=error",
  // A registry that does not answer is reported in seconds, not minutes.
  "--fetch-retries=1",
  "--fetch-retry-mintimeout=1000",
  "--fetch-timeout=30000",
];

/**
 * Installs a package of PTH's lock file, without its scripts. Made in another folder and moved there whole, so that no
 * process finds half of it; of two at once the first one's stays.
 * @throws {PthError} `INSTALL_FAILED` with the reason and a remedy
 */
async function installPackage(name: string, folder: string): Promise<void> {
  try {
    await install(name, folder);
  } catch (cause) {
    throw failed(`Cannot install ${name}`, cause, dirname(folder));
  }
}

async function install(name: string, folder: string): Promise<void> {
  const parent = dirname(folder);
  await mkdir(parent, { recursive: true });
  await removeAbandoned(parent);
  const free = await freeSpaceMiB(parent);
  if (free < neededMiB) {
    const next = [makeRoom(parent)];
    throw new PthError("DISK_FULL", `${free} MiB are free, and it may need ${neededMiB}`, { next });
  }
  const staging = await mkdtemp(join(parent, ".staging-"));
  try {
    await writeTextFile(join(staging, "package.json"), await manifestOf(name));
    // npm takes from the lock file what the package needs, and leaves the rest out.
    await copyFile(ownFile("prebuilt/package-lock.json"), join(staging, "package-lock.json"));
    await runNpm(staging);
    await tryOut(name, staging);
    await rename(staging, folder).catch(async (error) => {
      if (!(await pathExists(folder))) throw error; // else another process was sooner
    });
  } finally {
    await removeIfExists(staging);
  }
}

const manifestOf = async (name: string): Promise<string> =>
  JSON.stringify({ private: true, dependencies: { [name]: await versionOf(name) } });

async function versionOf(name: string): Promise<string> {
  const lock: { packages: Record<string, { version: string }> } = JSON.parse(
    await readTextFile(ownFile("prebuilt/package-lock.json")),
  );
  return lock.packages[`node_modules/${name}`]!.version;
}

async function runNpm(folder: string): Promise<void> {
  const command = ["npm", "install", ...options];
  // Where Node is started by its path, npm, which lies next to it, need not be on PATH.
  const PATH = [readEnv("PATH"), dirname(process.execPath)].filter(Boolean).join(delimiter);
  const signal = AbortSignal.timeout(limitMs);
  const { code, stderr, stdout } = await runCommand(command, { cwd: folder, env: { PATH }, signal });
  if (code === 0) return;
  const output = (stderr || stdout).trim().slice(-4000);
  const next = [isNoSpace(output) ? makeRoom(dirname(folder)) : askRegistry];
  throw new PthError("INSTALL_FAILED", `npm ended with ${code}`, {
    output,
    tried: [command.join(" ")],
    next,
  });
}

/** Loads it in its own process: on a full disk npm silently leaves half a file, which would end the process that loads it. */
async function tryOut(name: string, folder: string): Promise<void> {
  const command = [process.execPath, "--eval", `require(${JSON.stringify(name)})`];
  const { code, signal, stderr } = await runCommand(command, {
    cwd: folder,
    signal: AbortSignal.timeout(limitMs),
  });
  if (code === 0) return;
  const ended = signal === null ? `ended with ${code}` : `was ended by ${signal}`;
  throw new PthError("INSTALL_FAILED", `a process that loaded it ${ended}`, {
    output: stderr.trim().slice(-4000),
    next: [makeRoom(dirname(folder))],
  });
}

/** Removes what processes left that were killed while they installed. */
async function removeAbandoned(parent: string): Promise<void> {
  for await (const { name } of readDir(parent)) {
    if (!name.startsWith(".staging-")) continue;
    const path = join(parent, name);
    const { mtime } = await stat(path);
    if (mtime !== null && Date.now() - mtime.getTime() > 5 * limitMs) await removeIfExists(path);
  }
}

function failed(action: string, cause: unknown, folder: string): PthError {
  const context = cause instanceof PthError ? cause.context : {};
  const state = cause instanceof DOMException
    ? `npm took more than ${limitMs / 1000} s`
    : errorMessage(cause);
  const next = [
    ...(context.next ?? [whatToMend(cause, folder)]),
    "Then repeat the call: the next use tries again",
  ];
  return new PthError("INSTALL_FAILED", `${action}: ${state}`, { ...context, next }, { cause });
}

const askRegistry = "Look whether npm reaches its registry: npm ping";

const makeRoom = (folder: string): string => `Make room on the disk of ${folder}`;

function whatToMend(cause: unknown, folder: string): string {
  if (cause instanceof DOMException) return askRegistry;
  if (isNoSpace(cause)) return makeRoom(folder);
  const isMissing = cause instanceof PthError && cause.code === "EXEC_FAILED";
  return isMissing ? "Install npm, which comes with Node.js" : `Let this user write to ${folder}`;
}
