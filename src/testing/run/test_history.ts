/**
 * History of a plugin's tests in earlier runs on this machine, kept under PTH's own folder and never in the author's.
 *
 * A plugin has a folder and a run has a file in it, which is written whole: runs at the same time never disturb each
 * other.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { listFolder, pathExists, readTextIfExists, removeIfExists } from "../../platform/files.ts";
import { writeOwnText } from "../../platform/own_folder.ts";
import { historyDir } from "../../platform/host.ts";
import { log } from "../../platform/log.ts";
import { slug } from "../format/ids.ts";
import type { Runs } from "./flakiness.ts";
import { errorMessage } from "../../core/errors.ts";
import { isObject } from "../../core/values.ts";

/** One run of a test; retries count as runs of their own. */
interface PastRun {
  /** Milliseconds since the epoch. */
  at: number;
  /** Test and source: the same mark, the same conditions. */
  mark: string;
  runs: number;
  failures: number;
}

/** Outcome of a test in one run of the suite, as it is kept. */
export interface Outcome {
  id: string;
  /** Says what the test demands; differs when it was edited. */
  digest: string;
  runs: number;
  failures: number;
}

export interface TestHistory {
  /** Oldest first, at most 50. */
  of(testId: string): readonly PastRun[];
  /** Ids of tests whose latest run knew a failure; undefined where no run is known. */
  lastFailed(): string[] | undefined;
  /** Adds a run of the suite. `source` says what the plugin was like. */
  add(
    run: { at: number; source: string; commit?: string; seed?: number; outcomes: Outcome[] },
  ): Promise<void>;
}

interface RunFile {
  version: 1;
  at: number;
  source: string;
  commit?: string;
  seed?: number;
  /** By test id: its digest, runs and failures. */
  tests: Record<string, readonly [digest: string, runs: number, failures: number]>;
}

/** Most runs kept of each test, and most files of one plugin: runs of single tests are files, too. */
const runsKept = 50;
const filesKept = 200;
const longestUnused = 180 * 24 * 60 * 60 * 1000;

interface PluginIdentity {
  /** For people. */
  name: string;
  /** Identifies the plugin on this machine by a hash: a command or an address may hold a secret and is never stored. */
  key: string;
  /** Host folder that it lies in, where it has one. */
  folder?: string;
}

/** Reads what is known. Files that cannot be understood are left out, and said in the log. */
export async function openTestHistory(plugin: PluginIdentity): Promise<TestHistory> {
  const folder = folderOf(plugin);
  const tests = new Map<string, PastRun[]>();
  for (const name of (await runFiles(folder)).slice(-filesKept)) {
    const run = await readRun(join(folder, name));
    if (run) remember(tests, run);
  }
  return {
    of: (id) => tests.get(id) ?? [],
    lastFailed() {
      if (tests.size === 0) return undefined;
      return [...tests].filter(([, runs]) => runs.at(-1)!.failures > 0).map(([id]) => id);
    },
    async add({ outcomes, ...run }) {
      const entries = outcomes.map(({ id, digest, runs, failures }) =>
        [id, [digest, runs, failures]] as const
      );
      const file: RunFile = { version: 1, ...run, tests: Object.fromEntries(entries) };
      remember(tests, file);
      if (!await pathExists(folder)) await begin(folder, plugin);
      await writeOwnText(
        join(folder, `${run.at}-${crypto.randomUUID().slice(0, 8)}.json`),
        JSON.stringify(file),
      );
      const files = await runFiles(folder);
      for (const name of files.slice(0, -filesKept)) await removeIfExists(join(folder, name));
    },
  };
}

function remember(tests: Map<string, PastRun[]>, { at, source, tests: ended }: RunFile): void {
  for (const [id, [digest, runs, failures]] of Object.entries(ended)) {
    const known = tests.get(id) ?? [];
    known.push({ at, mark: historyKey(source, digest), runs, failures });
    if (known.length > runsKept) known.shift();
    tests.set(id, known);
  }
}

export const historyKey = (source: string, digest: string): string => `${source}:${digest}`;

/** Digest of what a test demands: where it lies and what it is called are no part of that. */
export const demandDigest = (demands: object): string =>
  createHash("sha256").update(JSON.stringify(demands)).digest("hex").slice(0, 8);

/** Earlier runs of a test with the same demands on the same source. */
export function pastRuns(
  history: Pick<TestHistory, "of">,
  id: string,
  source: string,
  digest: string,
): Runs {
  const same = history.of(id).filter(({ mark }) => mark === historyKey(source, digest));
  return {
    runs: same.reduce((total, { runs }) => total + runs, 0),
    failures: same.reduce((total, { failures }) => total + failures, 0),
  };
}

const folderOf = ({ name, key }: PluginIdentity): string => {
  const hash = createHash("sha256").update(key).digest("hex").slice(0, 12);
  return join(historyDir(), `${slug(name).slice(0, 40)}-${hash}`);
};

/** Names begin with the time, so that they sort by it. */
const runFiles = async (folder: string): Promise<string[]> =>
  (await listFolder(folder)).map(({ name }) => name).filter((name) => /^\d{13}-[0-9a-f]+\.json$/.test(name));

async function readRun(path: string): Promise<RunFile | undefined> {
  try {
    const run = JSON.parse(await readTextIfExists(path) ?? "null") as Partial<RunFile> | null;
    if (run?.version === 1 && isObject(run.tests) && Object.values(run.tests).every(isEnded)) {
      return run as RunFile;
    }
    if (run !== null) log.warn("history of another version", { path });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    log.warn("history that cannot be read", { path, error: error.message });
  }
  return undefined;
}

/** Checks an entry: a foreign or incomplete file must not cost a run. */
const isEnded = (ended: unknown): boolean =>
  Array.isArray(ended) && typeof ended[0] === "string" && [ended[1], ended[2]].every(Number.isInteger);

/** A plugin seen for the first time; what plugins left that are gone, or were not tested for long, goes. */
async function begin(folder: string, plugin: PluginIdentity): Promise<void> {
  for (const { name } of await listFolder(historyDir())) {
    const other = join(historyDir(), name);
    // Its own may be another run's by now.
    if (other !== folder && await isForgotten(other)) await removeIfExists(other);
  }
  const { name, folder: home } = plugin;
  await writeOwnText(join(folder, "plugin.json"), JSON.stringify({ name, folder: home }));
}

async function isForgotten(folder: string): Promise<boolean> {
  const text = await readTextIfExists(join(folder, "plugin.json"));
  // One that another run is making just now.
  if (text === undefined) return false;
  let home: string | undefined;
  try {
    home = (JSON.parse(text) as Partial<PluginIdentity>).folder;
  } catch (error) {
    log.warn("history whose plugin cannot be read", { folder, error: errorMessage(error) });
  }
  if (home !== undefined && !await pathExists(home)) return true;
  const latest = (await runFiles(folder)).at(-1);
  return latest !== undefined && Number(latest.slice(0, 13)) < Date.now() - longestUnused;
}
