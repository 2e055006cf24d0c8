/** The life of a sandbox: started by a script that becomes its keeper, ended by its first process. */
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PthError } from "../../core/errors.ts";
import { isNoSpace, mkdir, pathExists, rename, writeTextFile } from "../../platform/files.ts";
import {
  type ExitStatus,
  type HostProcess,
  runCommand,
  signalProcess,
  spawnProcess,
} from "../../platform/process.ts";
import { childrenOf, identify, isProcessAlive, type ProcessId } from "../../platform/proc.ts";
import { removeDetached } from "../../platform/remove_detached.ts";
import { leavingName } from "../shared/state_folder.ts";
import { joining } from "./limiter.ts";
import { filteredCommand } from "./confine/filtered_command.ts";
import {
  innerMountTable,
  kernelPaths,
  keyList,
  mountTable,
  sandboxFolders,
  type SandboxPlan,
  startScript,
  sysFolders,
} from "./start_script.ts";

/** One life of a sandbox; a rollback starts the next one. */
export interface SandboxProcess {
  folder: string;
  /** Sees the host's files and the sandbox's data side by side; parent of `init`. */
  keeper: ProcessId;
  /** Process 1 inside. */
  init: ProcessId;
  /** Helpers that the sandbox has: setsid, setpriv. */
  helpers: string[];
}

export const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Keepers that this process started: their stdin must stay open, it is what the sandbox lives by. */
const keepers = new Map<number, HostProcess>();
/** Exit statuses of the supervisors of this process, by pid. */
const endings = new Map<number, ExitStatus>();

/** Time that a supervisor has to end after its sandbox's first process, in ms. */
const followsWithinMs = 2000;

/**
 * Reason of an end as far as known: a supervisor ends with its sandbox's first process, and with the same
 * status, a moment later.
 */
export async function exitReason(
  { keeper }: Pick<SandboxProcess, "keeper">,
): Promise<{ exitCode?: number | string }> {
  const child = keepers.get(keeper.pid);
  if (child) await Promise.race([child.ended, sleep(followsWithinMs, undefined, { ref: false })]);
  const ending = endings.get(keeper.pid);
  const exitCode = ending?.code ?? ending?.signal;
  return exitCode === undefined || exitCode === null ? {} : { exitCode };
}

/**
 * Starts a sandbox; when it resolves, commands can enter. A failure or an abort leaves no process.
 * @throws {PthError} `PROVISION_FAILED`, `DISK_FULL`
 */
export async function startSandboxProcess(
  folder: string,
  plan: SandboxPlan,
  marks: Record<string, string>,
  groups: readonly string[],
  signal?: AbortSignal,
): Promise<SandboxProcess> {
  signal?.throwIfAborted();
  await writeTables(folder, plan);
  const namespace = plan.method.userNamespace ? ["--user", "--map-root-user"] : [];
  // The first process, too: a command inside could otherwise have it make the calls that it must not make itself.
  const filter = plan.method.filtered ? filteredCommand() : [];
  const unshare = ["unshare", ...namespace, "--mount", "sh", sandboxFolders(folder).script];
  const words = [...joining(groups), ...filter, ...unshare];
  const env = { PATH: defaultPath, ...marks };
  const child = await spawnProcess(words, { cwd: "/", clearEnv: true, env, ownGroup: true });
  const abort = () => child.kill("SIGKILL");
  signal?.addEventListener("abort", abort, { once: true });
  try {
    if (signal?.aborted) abort();
    const helpers = await readyLine(child);
    const life = { folder, ...await processesOf(child), helpers };
    signal?.throwIfAborted();
    keepers.set(child.pid, child);
    child.ended.then((status) => {
      keepers.delete(child.pid);
      endings.set(child.pid, status);
    });
    return life;
  } catch (error) {
    child.kill("SIGKILL");
    await child.exited;
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

async function writeTables(folder: string, plan: SandboxPlan): Promise<void> {
  const parts = sandboxFolders(folder);
  await mkdir(parts.data, { recursive: true });
  const paths = [...kernelPaths, ...sysFolders, keyList];
  const there = await Promise.all(paths.map(pathExists));
  await Promise.all([
    writeTextFile(parts.table, mountTable(folder, plan)),
    writeTextFile(parts.innerTable, innerMountTable(folder, paths.filter((_, index) => there[index]))),
    writeTextFile(parts.script, startScript(folder, plan)),
  ]);
}

async function processesOf(child: HostProcess): Promise<{ keeper: ProcessId; init: ProcessId }> {
  const [initPid] = await childrenOf(child.pid);
  const keeper = await identify(child.pid);
  const init = initPid === undefined ? undefined : await identify(initPid);
  if (keeper && init) return { keeper, init };
  throw new PthError("PROVISION_FAILED", "Cannot start sandbox: it ended as soon as it was ready", {
    next: ['Try again, or use another runtime: "docker" or "host"'],
  });
}

/** Waits for the "ready" line of the sandbox's first process; resolves to the helpers that it names. */
function readyLine(child: HostProcess): Promise<string[]> {
  let [out, err] = ["", ""];
  child.stderr.on("data", (chunk: Buffer) => err = (err + chunk).slice(-4000));
  return new Promise((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk;
      const line = out.match(/^ready(.*)\n/m)?.[1];
      if (line !== undefined) resolve(line.trim().split(" ").filter((word) => word !== ""));
    });
    child.exited.then(({ code, signal }) => {
      const full = isNoSpace(err);
      const state = full ? "the disk is full" : `its start script ended with ${code ?? signal}`;
      const next = full ? ["Free some room, or ask for a larger disk (resources.diskGB)"] : [];
      const output = err.trim();
      reject(
        new PthError(full ? "DISK_FULL" : "PROVISION_FAILED", `Cannot start sandbox: ${state}`, {
          output,
          next,
        }),
      );
    });
  });
}

/** Ends a sandbox with everything in it and waits until the kernel has dropped it. */
export async function endSandboxProcess(life: Pick<SandboxProcess, "keeper" | "init">): Promise<void> {
  for (const id of [life.init, life.keeper]) {
    if (await isProcessAlive(id)) signalProcess(id.pid, "SIGKILL");
  }
  for (let waited = 0; waited < 10_000; waited += 2) {
    if (!(await isProcessAlive(life.init)) && !(await isProcessAlive(life.keeper))) return;
    await sleep(2);
  }
  throw new PthError("INTERNAL", `Cannot end sandbox: process ${life.init.pid} does not go away`);
}

/**
 * Words before a command that runs it in the supervisor's namespaces: the sandbox's data is visible there,
 * also when it is in memory.
 */
export const inNamespacesOf = (life: SandboxProcess, userNamespace: boolean): string[] => [
  ...["nsenter", "--target", String(life.keeper.pid), "--mount"],
  ...(userNamespace ? ["--user", "--preserve-credentials"] : []),
  "--",
];

/** Removes a folder of a sandbox. What was made in a user namespace may be closed to its owner outside of one. */
export async function removeFolder(path: string, userNamespace: boolean): Promise<void> {
  const remove = ["rm", "-rf", "--one-file-system", "--", path];
  const plainly = await runCommand(remove);
  const result = userNamespace && plainly.code !== 0
    ? await runCommand(["unshare", "--user", "--map-root-user", ...remove])
    : plainly;
  if (result.code === 0) return;
  throw new PthError("INTERNAL", `Cannot remove ${path}: ${result.stderr.trim()}`, { output: result.stderr });
}

/**
 * Takes a folder of a sandbox out of the way at once; what it holds is removed by a process of its own, and by `pth clean`
 * should that be ended, too.
 */
export async function leaveFolder(path: string, userNamespace: boolean): Promise<void> {
  const leaving = leavingName(path);
  await rename(path, leaving);
  const remove = 'rm -rf --one-file-system -- "$1"';
  const inNamespace = ` 2>/dev/null || unshare --user --map-root-user ${remove}`;
  await removeDetached(
    ["sh", "-c", userNamespace ? remove + inNamespace : remove, "sh", leaving],
    leaving,
    `${path} (now ${leaving})`,
  );
}

export const generationFolder = (box: string, number: number): string => join(box, `life-${number}`);
