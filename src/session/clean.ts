/** Removes what dead sessions left on this machine; a live session's things are never touched. */
import { join } from "node:path";
import { unusedAgents } from "../agents/adapters/agent_versions.ts";
import { errorMessage, PthError } from "../core/errors.ts";
import { listFolder, removeIfExists } from "../platform/files.ts";
import { worktreeDir } from "../platform/host.ts";
import {
  abandonedDrafts,
  appendRemoved,
  listSessions,
  type RegisteredSession,
  removeRegister,
} from "../registry/register.ts";
import type { Leftover, RuntimeDefinition } from "../runtimes/runtime.ts";
import { scanLiveSessions } from "../registry/live_folder.ts";
import { helpersOf, hostLeftovers, orphanFolder } from "./host_leftovers.ts";
import { oldSalvages } from "./resume/old_salvage.ts";
import { cachedInstalls } from "../plugin/installed_trees/tree_store.ts";
import { abandonedRunFolders } from "../project_tests/own_test_folder.ts";

interface CleanOptions {
  runtimes: readonly RuntimeDefinition[];
  /** Only say what would be removed. */
  dryRun?: boolean;
  /**
   * Includes sessions that were stored on purpose, and leftovers in no register of this user (another user's,
   * or another `PTH_HOME`).
   */
  all?: boolean;
  /** Includes what installs of earlier sessions are kept for later ones, and versions of agents. */
  cache?: boolean;
}

export interface CleanedThing {
  kind: Leftover["kind"];
  /** Id or path. */
  name: string;
  sessionId: string;
  /** Reason why it stays. */
  reason?: string;
}

export interface CleanReport {
  dryRun: boolean;
  /** Removed, or in a dry run: to be removed. */
  removed: CleanedThing[];
  /** Could not be removed, each with its reason. */
  failed: CleanedThing[];
  /** Left on purpose, each with its reason; a live session's things are not listed. */
  kept: CleanedThing[];
  liveSessions: string[];
  /** Runtimes that could not be asked, and why. */
  unreachable: { runtime: string; reason: string }[];
}

type Found = Leftover & { runtime?: string; keep?: string };

/** Never throws for a single leftover: failures are reported, and retried the next time. */
export async function clean(
  { runtimes, dryRun = false, all = false, cache = false }: CleanOptions,
): Promise<CleanReport> {
  const report: CleanReport = {
    dryRun,
    removed: [],
    failed: [],
    kept: [],
    liveSessions: [],
    unreachable: [],
  };
  // Things first, registers second: who is not in the registers then began before them, and is not ours to judge.
  const inRuntimes = await askRuntimes(runtimes, report);
  const orphans = await orphanFolders();
  const sessions = await listSessions();
  report.liveSessions = sessions.filter(({ alive }) => alive).map(({ sessionId }) => sessionId);
  const dead = sessions.filter(({ alive }) => !alive);
  for (const helper of (await Promise.all(dead.map((session) => helpersOf(session.sessionId)))).flat()) {
    await remove(helper, dead, report);
  }
  const onHost = (await Promise.all(dead.map((session) => hostLeftovers(session)))).flat();
  const known = new Set(sessions.flatMap(({ entries }) => entries.map(({ name }) => name)));
  const unknown = orphans.filter((folder) => !known.has(folder)).map(orphanFolder);
  for (const thing of [...inRuntimes, ...onHost, ...unknown]) {
    const reason = reasonToStay(thing, sessions, all);
    if (reason === "live") continue;
    if (reason !== undefined) report.kept.push({ ...named(thing), reason });
    else await remove(thing, dead, report);
  }
  for (const { path, remove: removeIt } of await oldSalvages()) {
    await remove(
      { kind: "patch", name: path, sessionId: "", disposable: true, remove: removeIt },
      dead,
      report,
    );
  }
  for (const path of (await scanLiveSessions()).dead) {
    await remove(ownFile("announcement", path), dead, report);
  }
  for (const path of await abandonedRunFolders()) await remove(ownFile("test run", path), dead, report);
  const caches = cache ? [...await cachedInstalls(), ...await unusedAgents()] : [];
  for (const path of caches) await remove(ownFile("install", path), dead, report);
  if (!dryRun) {
    await forget(dead, report, all);
    for (const draft of await abandonedDrafts()) await removeIfExists(draft);
  }
  return report;
}

function reasonToStay(thing: Found, sessions: RegisteredSession[], all: boolean): string | undefined {
  const session = sessions.find(({ sessionId }) => sessionId === thing.sessionId);
  if (session?.alive) return "live";
  if (thing.keep !== undefined) return thing.keep;
  if (all || thing.disposable) return undefined;
  if (session === undefined) return "no register of this user knows its session; --all removes it";
  return session.kept ? "it was kept on purpose; --all removes it" : undefined;
}

async function remove(thing: Found, dead: RegisteredSession[], report: CleanReport): Promise<void> {
  try {
    if (!report.dryRun) {
      await thing.remove();
      const session = dead.find(({ sessionId }) => sessionId === thing.sessionId);
      if (session && thing.runtime === undefined) await appendRemoved(session, thing);
    }
    report.removed.push(named(thing));
  } catch (error) {
    report.failed.push({ ...named(thing), reason: reasonOf(error) });
  }
}

/** A register goes when nothing of its session is left, as far as can be seen. */
async function forget(dead: RegisteredSession[], report: CleanReport, all: boolean): Promise<void> {
  const unseen = new Set(report.unreachable.map(({ runtime }) => runtime));
  for (const session of dead) {
    const failed = report.failed.some(({ sessionId }) => sessionId === session.sessionId);
    const hidden = session.entries.some(({ runtime }) => typeof runtime === "string" && unseen.has(runtime));
    if (!failed && !hidden && (all || !session.kept)) await removeRegister(session);
  }
}

async function askRuntimes(runtimes: readonly RuntimeDefinition[], report: CleanReport): Promise<Found[]> {
  const answers = await Promise.all(runtimes.map(async (runtime): Promise<Found[]> => {
    try {
      const dead = (await runtime.leftovers()).filter(({ ownerLives }) => ownerLives !== true);
      return dead.map((leftover) => ({
        kind: leftover.kind,
        name: leftover.name,
        sessionId: leftover.sessionId,
        runtime: runtime.name,
        ...(leftover.disposable ? { disposable: true } : {}),
        remove: () => leftover.remove(),
      }));
    } catch (error) {
      report.unreachable.push({ runtime: runtime.name, reason: reasonOf(error) });
      return [];
    }
  }));
  return answers.flat().sort((a, b) => order(a) - order(b));
}

/** Order of removal: processes first, then environments, then their images and files. */
const order = ({ kind }: Found): number => {
  const index = ["process", "box", "container", "network", "image"].indexOf(kind);
  return index === -1 ? 9 : index;
};

/** Files of PTH's own that no living process needs. */
const ownFile = (kind: Leftover["kind"], path: string): Found => ({
  kind,
  name: path,
  sessionId: "",
  disposable: true,
  remove: () => removeIfExists(path),
});

/** Folders named like ours in the folder for worktrees. */
async function orphanFolders(): Promise<string[]> {
  const folders = (await listFolder(worktreeDir())).filter(({ isDirectory }) => isDirectory);
  return folders.filter(({ name }) => name.startsWith("pth-worktree-"))
    .map(({ name }) => join(worktreeDir(), name));
}

const named = ({ kind, name, sessionId }: Found): CleanedThing => ({ kind, name, sessionId });

const reasonOf = (error: unknown): string => {
  if (error instanceof PthError && error.context.output) {
    return `${error.message} (${error.context.output.trim()})`;
  }
  return errorMessage(error);
};
