/** Files that runs of tests leave on the host, in a folder of PTH's own: details of the latest runs, and what runs need. */
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listFolder, mkdir, removeIfExists } from "../platform/files.ts";
import { uid } from "../platform/host.ts";
import { openOwnFolder, ownershipProblem, writeOwnText } from "../platform/own_folder.ts";
import { isOwnerAlive, thisProcess } from "../platform/proc.ts";

/** Number of details files that are kept, the latest ones. */
const mostDetails = 50;

const topFolder = () => join(tmpdir(), `pth-tests-${uid()}`);

/** Makes a folder in PTH's own one for runs of tests, and answers its path. */
export const ownTestFolder = (name: string): Promise<string> => openOwnFolder(topFolder(), name);

/** Makes a folder for one run. Those of processes that were killed go first. */
export async function makeRunFolder(): Promise<string> {
  for (const path of await abandonedRunFolders()) await removeIfExists(path);
  const { pid, startTime = "" } = await thisProcess();
  const path = join(await ownTestFolder("runs"), `${pid}-${startTime}-${randomUUID().slice(0, 8)}`);
  await mkdir(path, { mode: 0o700 });
  return path;
}

/** Paths of folders whose runs were killed with their process. */
export async function abandonedRunFolders(): Promise<string[]> {
  const folder = join(topFolder(), "runs");
  // What is not PTH's own holds no runs.
  for (const path of [topFolder(), folder]) if (await ownershipProblem(path) !== undefined) return [];
  const paths: string[] = [];
  for (const { name } of await listFolder(folder)) {
    const [, pid, startTime] = /^(\d+)-(\d*)-/.exec(name) ?? [];
    const owner = { pid: Number(pid), ...(startTime ? { startTime } : {}) };
    if (pid !== undefined && !await isOwnerAlive(owner)) paths.push(join(folder, name));
  }
  return paths;
}

/**
 * Writes the details of a run, for their owner alone (0600), and removes the oldest beyond those that are kept.
 * @returns its path
 */
export async function writeDetails(details: unknown): Promise<string> {
  const folder = await ownTestFolder("details");
  const time = new Date().toISOString().replaceAll(/[:.]/g, "-");
  const path = join(folder, `${time}-${randomUUID().slice(0, 8)}.json`);
  await writeOwnText(path, `${JSON.stringify(details, undefined, 1)}\n`);
  // Names begin with their time.
  const names = (await listFolder(folder)).map(({ name }) => name).filter((name) => name.endsWith(".json"))
    .sort();
  for (const name of names.slice(0, -mostDetails)) await removeIfExists(join(folder, name));
  return path;
}
