/**
 * Versions of agents that PTH installed from npm for later runs: folders below `PTH_HOME/agents`, each made aside and moved
 * into place whole. Nothing of a package runs when it is installed. What a living process uses is not removed.
 */
import { join } from "node:path";
import { errorMessage, PthError } from "../../core/errors.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import {
  isNoSpace,
  listFolder,
  mkdir,
  pathExists,
  readTextIfExists,
  realPath,
  removeIfExists,
  rename,
  writeTextAtomically,
  writeTextFile,
} from "../../platform/files.ts";
import { readEnv, stateDir } from "../../platform/host.ts";
import { openOwnFolder } from "../../platform/own_folder.ts";
import { isOwnerAlive, thisProcess } from "../../platform/proc.ts";
import { runCommand } from "../../platform/process.ts";
import type { AgentDefinition, AgentInstallation } from "./agent.ts";
import { systemName } from "./agent_program.ts";

/** Version of an agent that is kept. */
export interface AgentVersion {
  agent: string;
  version: string;
  folder: string;
}

interface Entry extends Omit<AgentVersion, "folder"> {
  bytes: number;
}

const installLimitMs = 900_000;
const megabyte = 1024 * 1024;

/** `PTH_AGENT_CACHE_MB`, else 4096; the version that was asked for last stays in any case. */
function mostBytes(): number {
  const given = Number(readEnv("PTH_AGENT_CACHE_MB") || 4096);
  return (Number.isFinite(given) && given >= 0 ? given : 4096) * megabyte;
}

export const agentsFolder = (): string => join(stateDir(), "agents");

const wholeVersion = /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/;
/** Name of a folder that is being made, with its process. */
const aside = /^\.(\d+)\.(\d*)\.[0-9a-f-]{36}$/;
const entryIn = (folder: string): string => join(folder, "entry.json");
const usesIn = (folder: string): string => join(folder, "uses");

/**
 * Path of the program of an agent's version, which is installed where it is not kept.
 * @param tell Takes what is done, where it takes long
 * @throws {PthError} `INVALID_INPUT` for a version that there is not, `INSTALL_FAILED`, `DISK_FULL`
 */
export async function agentOfVersion(
  agent: AgentDefinition,
  version: string,
  { signal, tell, root = agentsFolder() }: {
    signal?: AbortSignal;
    tell?: (text: string) => void;
    root?: string;
  } = {},
): Promise<string> {
  const { installation, name } = agent;
  if (installation === undefined) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot install ${name}: it is a command line of yours, without versions`,
    );
  }
  if (!wholeVersion.test(version)) {
    throw new PthError("INVALID_INPUT", `Cannot install ${name}: "${version}" is no whole version`, {
      next: ["Give all of its numbers, such as 2.1.330"],
    });
  }
  const folder = join(root, `${name}@${version}-${systemName()}`);
  if (await readEntry(folder) === undefined) {
    tell?.(`installing ${name} ${version} from npm\n`);
    await install(installation, { agent: name, version }, root, folder, signal);
  }
  await noteUse(folder);
  await prune(root, folder);
  return await realPath(join(folder, "node_modules", ".bin", installation.program));
}

async function install(
  { packages }: AgentInstallation,
  asked: Omit<AgentVersion, "folder">,
  root: string,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  await openOwnFolder(root);
  const { pid, startTime = "" } = await thisProcess();
  const beside = join(root, `.${pid}.${startTime}.${crypto.randomUUID()}`);
  try {
    await mkdir(beside, { mode: 0o700 });
    await fetchPackage(packages, asked, beside, signal);
    const bytes = await sizeOf(beside);
    await writeTextFile(entryIn(beside), JSON.stringify({ ...asked, bytes } satisfies Entry));
    // A folder of this name without an entry was cut short; one with an entry is another process's, and as good.
    if (await readEntry(folder) === undefined) {
      await removeIfExists(folder);
      await rename(beside, folder);
    }
  } finally {
    await removeIfExists(beside);
  }
}

const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];

/** From the first of the packages that has the version; an agent may have moved to another name. */
async function fetchPackage(
  packages: readonly string[],
  { agent, version }: Omit<AgentVersion, "folder">,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  await writeTextFile(join(folder, "package.json"), '{ "private": true }\n');
  const limit = AbortSignal.timeout(installLimitMs);
  const last = packages.at(-1);
  for (const name of packages) {
    const { code, stderr, stdout } = await runCommand(["npm", "install", ...flags, `${name}@${version}`], {
      cwd: folder,
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    }).catch((cause: unknown) => {
      signal?.throwIfAborted();
      throw new PthError("INSTALL_FAILED", `Cannot install ${agent} ${version}: ${errorMessage(cause)}`, {
        next: ["npm has to be on PATH, and its registry within reach"],
      }, { cause });
    });
    if (code === 0) return;
    const output = `${stdout}${stderr}`;
    const unknown = /\b(?:E404|ETARGET)\b/.test(output);
    if (unknown && name !== last) continue;
    if (unknown) {
      throw new PthError("INVALID_INPUT", `Cannot install ${agent} ${version}: npm has no such version`, {
        output: output.trim().slice(-2000),
        next: [{ terminal: `npm view ${packages[0]} versions` }],
      });
    }
    throw new PthError(
      isNoSpace(output) ? "DISK_FULL" : "INSTALL_FAILED",
      `Cannot install ${agent} ${version}: npm ended with exit code ${code}`,
      { output: output.trim().slice(-2000), next: ["Its registry has to be within reach"] },
    );
  }
}

async function sizeOf(folder: string): Promise<number> {
  const { stdout } = await runCommand(["du", "-sk", folder]);
  return Number.parseInt(stdout, 10) * 1024;
}

/** Keeps others from removing it while this process lives; its time says when it was used last. */
async function noteUse(folder: string): Promise<void> {
  const { pid, startTime = "" } = await thisProcess();
  const uses = usesIn(folder);
  await mkdir(uses, { recursive: true });
  await writeTextAtomically(join(uses, `${pid}.${startTime}`), String(Date.now()));
  for (const { name } of await listFolder(uses)) {
    if (!await livesProcess(name.split("."))) await removeIfExists(join(uses, name));
  }
}

interface Use {
  /** Milliseconds since 1970. */
  at: number;
  alive: boolean;
}

async function usesOf(folder: string): Promise<Use[]> {
  const names = (await listFolder(usesIn(folder))).map(({ name }) => name);
  return await Promise.all(names.map(async (name) => ({
    at: Number(await readTextIfExists(join(usesIn(folder), name)) ?? 0),
    alive: await livesProcess(name.split(".")),
  })));
}

const livesProcess = ([pid, startTime]: readonly (string | undefined)[]): Promise<boolean> =>
  isOwnerAlive({ pid: Number(pid), ...(startTime ? { startTime } : {}) });

/** Removes those that were used longest ago beyond the limit. */
async function prune(root: string, present: string): Promise<void> {
  const found = await Promise.all((await versionsIn(root)).map(async (each) => {
    const uses = await usesOf(each.folder);
    return {
      ...each,
      usedAt: Math.max(0, ...uses.map(({ at }) => at)),
      inUse: uses.some(({ alive }) => alive),
    };
  }));
  let room = mostBytes();
  for (const { folder, bytes, inUse } of found.sort((a, b) => b.usedAt - a.usedAt)) {
    room -= bytes;
    if (room < 0 && !inUse && folder !== present) await removeIfExists(folder);
  }
}

async function readEntry(folder: string): Promise<Entry | undefined> {
  const value = jsonIn(await readTextIfExists(entryIn(folder)) ?? "");
  if (!isObject(value)) return undefined;
  const { agent, version, bytes } = value;
  return typeof agent === "string" && typeof version === "string" && typeof bytes === "number" &&
      await pathExists(join(folder, "node_modules"))
    ? { agent, version, bytes }
    : undefined;
}

async function versionsIn(root: string): Promise<(Entry & AgentVersion)[]> {
  const folders = (await listFolder(root)).map(({ name }) => join(root, name));
  const entries = await Promise.all(folders.map(readEntry));
  return entries.flatMap((entry, index) =>
    entry === undefined ? [] : [{ ...entry, folder: folders[index]! }]
  );
}

/** Versions that are kept, by name and version. */
export async function cachedAgents(root: string = agentsFolder()): Promise<AgentVersion[]> {
  const found = (await versionsIn(root)).map(({ agent, version, folder }) => ({ agent, version, folder }));
  return found.sort((a, b) => a.folder < b.folder ? -1 : 1);
}

/** Folders that no living process uses or makes, for `pth clean --cache`. */
export async function unusedAgents(root: string = agentsFolder()): Promise<string[]> {
  const folders: string[] = [];
  for (const { name } of await listFolder(root)) {
    const folder = join(root, name);
    const maker = aside.exec(name);
    const inUse = maker === null
      ? (await usesOf(folder)).some(({ alive }) => alive)
      : await livesProcess(maker.slice(1));
    if (!inUse) folders.push(folder);
  }
  return folders;
}
