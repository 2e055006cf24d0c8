/** Adds to a failure what the design's tables ask for: facts, and the ways out. */
import { asPthError, type ErrorCode, type ErrorContext, errorMessage, PthError } from "../core/errors.ts";
import { definedOnly } from "../core/values.ts";
import { accessTo } from "../plugin/environment_access.ts";
import { diskLines, diskState, pathState, recoveryArtefacts, worktreeList } from "../diagnosis/disk_state.ts";
import { isNoSpace } from "../platform/files.ts";
import { worktreeDir } from "../platform/host.ts";
import { recoveryRow } from "../diagnosis/table.ts";
import { dockerArtefacts } from "../runtimes/docker/container_leftovers.ts";
import { coreDump, dependencyTree, resourcesText } from "../diagnosis/server_state.ts";
import { explainedErrors } from "./explained_errors.ts";
import type { SessionResources } from "./session_resources.ts";
import type { NextStep } from "../core/next_step.ts";
import { connectivity } from "../plugin/run_step.ts";

interface Gathered {
  facts: Record<string, unknown>;
  /** Ways out that only these facts tell; they come first. */
  next?: NextStep[];
}
type Gather = (live: SessionResources, error: PthError) => Promise<Gathered>;

/** Passes through what the tables do not name. Never fails: what cannot be found out is said in its place. */
export async function explainFailure(live: SessionResources, thrown: unknown): Promise<unknown> {
  const error = noRoom(thrown);
  if (!(error instanceof PthError)) return thrown;
  const row = recoveryRow(error.code);
  if (row === undefined || explainedErrors.has(error)) return error;
  const { code, message, context } = error;
  const { facts, next = [] } = await gather[code]?.(live, error) ?? { facts: {} };
  const explained = new PthError(code, message, {
    ...context,
    ...definedOnly(facts),
    next: [...next, ...context.next ?? [], ...row.options],
  }, { cause: error.cause ?? thrown });
  explainedErrors.add(explained);
  return explained;
}

/** Wherever the last byte went missing, a full disk is a full disk. */
function noRoom(thrown: unknown): unknown {
  const context: ErrorContext = thrown instanceof PthError ? thrown.context : {};
  const known = thrown instanceof PthError && thrown.code === "DISK_FULL";
  if (known || !isNoSpace(thrown) && !isNoSpace(context.output ?? "")) return thrown;
  const error = asPthError(thrown, "Cannot write");
  const failed = error.code === "INTERNAL" ? {} : { failed: error.code };
  return new PthError("DISK_FULL", `${error.message} (a disk is full)`, {
    output: errorMessage(thrown),
    ...context,
    ...failed,
  }, { cause: thrown });
}

/** Finds a fact; if it is not available, the reason. */
async function fact<T>(find: () => Promise<T>): Promise<T | string> {
  try {
    return await find();
  } catch (error) {
    return `cannot be found out: ${errorMessage(error)}`;
  }
}

const inside = (live: SessionResources) => {
  const { runtime, info } = live.environment.require();
  return accessTo(runtime, info.handle);
};

const hostDisks = ({ code: { source } }: SessionResources) =>
  fact(() => diskState(...[source?.worktree, source?.gitDir].filter((path) => path !== undefined)));

/** Snapshots of the session; only those of the present environment can be rolled back to. */
function snapshotsOf(
  { snapshots: { taken }, environment: { count } }: SessionResources,
): { told: string[]; latest: string | undefined } {
  const told = [...taken].map(([name, { takenAt, environment }]) =>
    `${name}, taken ${takenAt}${environment === count ? "" : ", of an environment that is gone"}`
  );
  const usable = [...taken].filter(([, { environment }]) => environment === count);
  return { told: told.length > 0 ? told : ["none"], latest: usable.at(-1)?.[0] };
}

function ofLostEnvironment(live: SessionResources): Promise<Gathered> {
  const { told, latest } = snapshotsOf(live);
  const { resources } = live.environment;
  const facts = {
    snapshots: told,
    resourcesBefore: resources === undefined
      ? "not looked at yet"
      : `${resources.at}: ${resourcesText(resources.health)}`,
  };
  if (latest === undefined) return Promise.resolve({ facts });
  const back = {
    mcp:
      `Go back to a snapshot: pth_rollback_environment({ snapshot: "${latest}" }), then pth_load_plugin({})`,
  };
  return Promise.resolve({ facts, next: [back] });
}

async function ofFullDisk(live: SessionResources): Promise<Gathered> {
  const [disk, taken, diskInside] = await Promise.all([
    hostDisks(live),
    fact(() => recoveryArtefacts(dockerArtefacts)),
    live.environment.current && fact(() => disksInside(live)),
  ]);
  return { facts: { disk, artefacts: taken, diskInside } };
}

async function disksInside(live: SessionResources): Promise<string[]> {
  const folder = live.environment.current!.info.handle.sourcePath;
  const { stdout } = await inside(live).exec(["df", "-Pk", "--", "/", "/tmp", folder], { cwd: "/" });
  return diskLines(stdout);
}

const ofSnapshot: Gather = async (live) => ({
  facts: { snapshots: snapshotsOf(live).told, disk: await hostDisks(live) },
});

const ofNetwork: Gather = async (live, { context }) => ({
  facts: { connectivity: await fact(() => connectivity(inside(live), context.output ?? "")) },
});

const ofBuild: Gather = async (live) => {
  const plan = live.plugin.draft ?? live.plugin.plan;
  const tree = plan && await fact(() => dependencyTree(plan, inside(live)));
  return { facts: { dependencyTree: tree === "" ? undefined : tree } };
};

const ofCrash: Gather = async (live, { context: { exitCode, signal } }) => ({
  facts: {
    coreDump: live.environment.current &&
      await fact(() =>
        coreDump(inside(live), live.plugin.folder ?? inside(live).sourcePath, { exitCode, signal })
      ),
  },
});

const ofWorktree: Gather = async ({ target }) => ({
  facts: {
    worktrees: target.target && await fact(() => worktreeList(target.target!)),
    path: await fact(() => pathState(worktreeDir())),
  },
});

const ofCommit: Gather = async (live) => ({ facts: { disk: await hostDisks(live) } });

const gather: { [Code in ErrorCode]?: Gather } = {
  ENVIRONMENT_LOST: ofLostEnvironment,
  DISK_FULL: ofFullDisk,
  SNAPSHOT_FAILED: ofSnapshot,
  ROLLBACK_FAILED: ofSnapshot,
  NO_SUCH_SNAPSHOT: ofSnapshot,
  NETWORK_UNAVAILABLE: ofNetwork,
  INSTALL_FAILED: ofBuild,
  BUILD_FAILED: ofBuild,
  START_FAILED: ofCrash,
  SERVER_LOST: ofCrash,
  WORKTREE_FAILED: ofWorktree,
  COMMIT_FAILED: ofCommit,
};
