/**
 * Runtimes of plain processes on the host, in a copy of the source: they work everywhere and isolate nothing. `host` is
 * one; another says how it starts commands.
 */
import { basename, dirname, resolve } from "node:path";
import { PassThrough, type Readable } from "node:stream";
import type {
  EnvironmentHandle,
  NetworkMode,
  RuntimeAbilities,
} from "../../../machines/model/environment.ts";
import { PthError } from "../../core/errors.ts";
import { isAbsent, lstat, mkdir, pathExists, removeIfExists, rename } from "../../platform/files.ts";
import { processId as ownPid } from "../../platform/host.ts";
import { collect, runCommand, signalProcess, spawnProcess } from "../../platform/process.ts";
import { hostFolders, makePlace, placeOf, requireHostEnvironment } from "./host_environment.ts";
import type {
  EnvironmentProcess,
  EnvironmentRuntime,
  ExecOptions,
  Leftover,
  Readiness,
  RuntimeDefinition,
} from "../runtime.ts";
import { compareFingerprints } from "../drift/compare_fingerprints.ts";
import { fingerprintCommand, parseFingerprint } from "../drift/fingerprint.ts";
import { goneHealth, healthScript, parseHealth } from "../shared/health.ts";
import { limitsOf } from "../shared/limits.ts";
import { commandInFolder, execLocally, startLive } from "../shared/exec_locally.ts";
import { inspectScript, nothingInside, parseInspection } from "../shared/inspect_script.ts";
import { isOwnerRunning, testsMark } from "../shared/label_variables.ts";
import { endTagged, environmentOf, isOwnerAlive, taggedPids } from "../../platform/proc.ts";
import { requireNetwork } from "../network/networks.ts";
import { sharedHostPort } from "../network/forward_host_port.ts";
import { forwardSharedPort } from "../network/forward_shared_port.ts";
import { bringSource, forgetSource, unpackBy } from "../shared/source/bring_source.ts";
import { draftSession, isLeaving, labelledFolders, leavingName } from "../shared/state_folder.ts";
import { holdsLittle, removeDetached } from "../../platform/remove_detached.ts";
import type { CopyLimits } from "../../../machines/model/environment_operations.ts";
import { copyError, copyFailed } from "../shared/copy_limits.ts";
import { unpackTo } from "../shared/unpack.ts";
import { closeRelays } from "../network/relay.ts";

const networks: readonly NetworkMode[] = ["host"];

const abilities: RuntimeAbilities = {
  snapshots: false,
  systemd: false,
  kernel: false,
  isolated: false,
  sharesNetwork: true,
  outlivesOwner: true,
  limits: { cpus: false, memory: false, disk: false },
};

/** Properties in which a runtime of processes on the host differs from `host`. */
export interface HostRuntimeOptions extends Pick<RuntimeDefinition, "name" | "summary" | "needs" | "rank"> {
  /** The words that start a command in this runtime's way; default: the command itself. */
  wrap?(command: readonly string[]): readonly string[];
  /**
   * Reports whether it can be used on this machine, and what would help; default: it can. Cheap, never
   * throws.
   */
  probe?(): Promise<Readiness>;
}

/** Makes the definition: folders, marks, messages and what is left over carry its own name. */
export function hostRuntime(
  { name, summary, needs, rank, wrap, probe }: HostRuntimeOptions,
): RuntimeDefinition {
  return {
    name,
    summary,
    needs,
    tiers: [1],
    rank,
    networks,
    probe: (image) => image === undefined ? probe?.() ?? Promise.resolve(ready) : withoutImages(name, image),
    create: () => create(name, wrap),
    leftovers: () => leftovers(name),
  };
}

function create(name: string, wrap: HostRuntimeOptions["wrap"] = (command) => command): EnvironmentRuntime {
  const wrapped = async (
    handle: EnvironmentHandle,
    command: readonly string[],
    options: Pick<ExecOptions, "cwd" | "env">,
  ) => {
    const cwd = resolve(handle.sourcePath, options.cwd ?? ".");
    const words = wrap(commandInFolder(cwd, command));
    const { env } = await requireHostEnvironment(handle);
    return { words, env: { ...env, ...options.env } };
  };
  const exec = async (handle: EnvironmentHandle, command: readonly string[], options: ExecOptions = {}) =>
    await execLocally(await wrapped(handle, command, options), options);
  const script = async (handle: EnvironmentHandle, text: string) =>
    (await exec(handle, ["sh", "-c", text], { cwd: "/" })).stdout;

  const runtime: EnvironmentRuntime = {
    name,
    abilities,
    async provision(spec, signal) {
      requireNetwork({ name, networks }, spec.network);
      return await makePlace(name, spec, signal);
    },
    destroy,
    exec,
    async spawn(handle, command, options = {}) {
      const child = await startLive(await wrapped(handle, command, options));
      // The group may outlive its leader.
      const kill: EnvironmentProcess["kill"] = (signal, whom) =>
        Promise.resolve(void signalProcess(whom === "leader" ? child.pid : -child.pid, signal));
      const { pid, stdin, stdout, stderr, exited } = child;
      return { pid, stdin, stdout, stderr, exited, kill };
    },
    copyIn: (handle, hostPath, envPath, signal) =>
      copy(hostPath, resolve(handle.sourcePath, envPath), signal),
    copyOut: (handle, envPath, hostPath, limits) =>
      copyOutOfHost(resolve(handle.sourcePath, envPath), hostPath, limits),
    async mountSource(handle, hostPath, envPath) {
      const spawn = (words: readonly string[]) => runtime.spawn(handle, words, { cwd: "/" });
      const receiver = {
        environmentId: handle.environmentId,
        exec: (command: readonly string[], options: ExecOptions) => exec(handle, command, options),
        unpack: (archive: Readable, folder: string) => unpackBy(spawn, archive, folder),
      };
      return await bringSource(receiver, hostPath, envPath);
    },
    snapshot: () => Promise.reject(noSnapshots(name, "SNAPSHOT_FAILED", "save a snapshot")),
    rollback: () => Promise.reject(noSnapshots(name, "ROLLBACK_FAILED", "roll back")),
    dropSnapshot: () => Promise.resolve(),
    async forwardPort(handle, envPort, hostPort = envPort) {
      await requireHostEnvironment(handle);
      return await forwardSharedPort(handle.environmentId, envPort, hostPort, () => pidsOf(handle));
    },
    async forwardHostPort(handle, hostPort) {
      await requireHostEnvironment(handle);
      return sharedHostPort(hostPort);
    },
    async healthCheck(handle) {
      if (!(await pathExists(placeOf(handle).scratch))) return goneHealth("The environment was destroyed");
      const own = await pidsOf(handle);
      // The machine's other processes are none of the session's.
      return parseHealth(await script(handle, healthScript()), { own, processes: own.length, busy: [] });
    },
    async fingerprint(handle) {
      const env = { PTH_PIDS: (await pidsOf(handle)).join(" ") };
      const { stdout: text } = await exec(handle, fingerprintCommand("etc"), { cwd: "/", env });
      // The machine's other programs mount and unmount as they like, container engines with every container.
      return { ...parseFingerprint(text, { files: {}, unseen: othersToo }), mounts: {} };
    },
    detectDrift: async (handle, baseline) => compareFingerprints(baseline, await runtime.fingerprint(handle)),
    logs: async (handle) => {
      await requireHostEnvironment(handle);
      return `The ${name} runtime keeps no logs of its own: output belongs to each process.\n`;
    },
    async inspect(handle, options) {
      const gone = !(await pathExists(placeOf(handle).scratch));
      const inside = gone ? nothingInside : parseInspection(await script(handle, inspectScript(options)));
      return {
        ...inside,
        runtime: name,
        tier: handle.tier,
        image: handle.image,
        status: gone ? "gone" : "running",
        sourcePath: handle.sourcePath,
        limits: limitsOf(handle.state.resources, abilities.limits),
        network: "the host's own, shared",
      };
    },
  };
  return runtime;
}

/** Places that other programs of the machine change all the time. */
const othersToo = [{
  what: "files outside /etc, mounts, addresses, the packet filter and kernel modules",
  why: "they are the host's own, and others change them, too",
}];

const pidsOf = (handle: EnvironmentHandle) => taggedPids("PTH_ENVIRONMENT", handle.environmentId);

async function destroy(handle: EnvironmentHandle): Promise<void> {
  await endTagged("PTH_ENVIRONMENT", handle.environmentId);
  await closeRelays(handle.environmentId);
  await leaveFolder(placeOf(handle).scratch);
  forgetSource(handle.environmentId);
}

/** Opens folders that a build has closed to their owner, as Go does with what it downloads, where they stand in the way. */
const removeAll = 'rm -rf -- "$1" 2>/dev/null || ' +
  '{ find "$1" -type d ! -perm -u=rwx -exec chmod u+rwx {} \\; 2>/dev/null; rm -rf -- "$1"; }';

/**
 * Removes a scratch folder. One that holds much is taken out of the way at once; what it holds is removed by a process of its
 * own, and by `pth clean` should that be ended, too.
 */
async function leaveFolder(scratch: string): Promise<void> {
  if (await holdsLittle(scratch)) return await removeIfExists(scratch);
  const leaving = leavingName(scratch);
  try {
    await rename(scratch, leaving);
  } catch (error) {
    if (isAbsent(error)) return; // destroyed before
    throw error;
  }
  await removeDetached(["sh", "-c", removeAll, "sh", leaving], leaving, `${scratch} (now ${leaving})`);
}

async function copy(from: string, to: string, signal: AbortSignal | undefined): Promise<void> {
  const problem = async () => {
    if (!(await pathExists(from))) return `${from} does not exist`;
    await mkdir(dirname(to), { recursive: true });
    const result = await runCommand(
      ["cp", "-RT", "--preserve=mode", "--", from, to],
      signal ? { signal } : {},
    );
    return result.code === 0 ? undefined : result.stderr.trim();
  };
  const text = await problem().catch((error) => String(error));
  if (text !== undefined) throw new PthError("COPY_FAILED", `Cannot copy ${from} to ${to}: ${text}`);
}

const noSnapshots = (name: string, code: "SNAPSHOT_FAILED" | "ROLLBACK_FAILED", action: string) =>
  new PthError(code, `Cannot ${action}: the ${name} runtime has no snapshots, its files are the host's own`, {
    next: [{
      terminal: "Use an isolated runtime: --env docker or --env sandbox",
      mcp: 'Use an isolated runtime: pth_reprovision_environment({ runtime: "docker" }), or "sandbox"',
    }],
  });

async function leftovers(name: string): Promise<Leftover[]> {
  const noted = await labelledFolders(hostFolders(name));
  const folders = await Promise.all(noted.map(async ({ path, note }): Promise<Leftover> => ({
    kind: "scratch",
    name: path,
    sessionId: note.sessionId,
    // A killed PTH had just begun to make it, or to remove it.
    disposable: (note.sessionId === draftSession || isLeaving(path)) &&
      !(await isOwnerAlive({ pid: note.ownerPid })),
    remove: async () => {
      await endTagged("PTH_ENVIRONMENT", note.environmentId);
      await removeIfExists(path);
    },
  })));
  const strays = await Promise.all((await taggedPids("PTH_RUNTIME", name)).map(strayOf));
  return [...strays.filter((stray) => stray !== undefined), ...folders];
}

/** PTH itself may run inside a host environment (a test of PTH): it is no stray of its own. */
async function strayOf(pid: number): Promise<Leftover | undefined> {
  const environment = await environmentOf(pid);
  const mark = environment.find((entry) => entry.startsWith("PTH_SESSION="));
  if (mark === undefined || pid === ownPid || await isOwnerRunning(pid, environment)) return undefined;
  const remove = () => Promise.resolve(void signalProcess(pid, "SIGKILL"));
  return {
    kind: "process",
    name: String(pid),
    sessionId: mark.slice("PTH_SESSION=".length),
    disposable: environment.some((entry) => entry.startsWith(testsMark)),
    remove,
  };
}

const ready: Readiness = { ready: true, reason: "plain processes on this host: nothing is isolated from it" };

/** Refuses a request for an image: without it, another system would be tested than the one that was named. */
const withoutImages = (name: string, image: string): Promise<Readiness> =>
  Promise.resolve({
    ready: false,
    code: "UNSUPPORTED",
    reason: `it has no image ${image}, it is this machine as it is`,
    next: [{
      terminal: `Leave the image out, to use this machine as it is: --env ${name}`,
      mcp:
        `Leave the image out, to use this machine as it is: pth_provision_environment({ runtime: "${name}" })`,
    }],
  });

/** A file, or a folder whose contents join what the target holds. @throws {PthError} `COPY_FAILED`, `DISK_FULL` */
async function copyOutOfHost(from: string, to: string, limits: CopyLimits = {}): Promise<void> {
  const action = `Cannot copy ${from} to ${to}`;
  try {
    await lstat(from);
  } catch (error) {
    if (isAbsent(error)) throw copyFailed(action, `${from} does not exist`, [], error);
    throw copyError(action, error);
  }
  // The whole of "/" has no name of its own.
  const contents = basename(from) === "";
  const command = ["tar", "-C", dirname(from), "-cf", "-", contents ? "." : `./${basename(from)}`];
  const packing = await spawnProcess(command, { ownGroup: true });
  packing.stdin.end();
  const archive = packing.stdout.pipe(new PassThrough()); // Node drops unread output of a process that ended
  const said = collect(packing.stderr);
  try {
    await unpackTo(archive, to, { action, contents, ...limits });
  } finally {
    packing.kill("SIGKILL");
  }
  const { code, signal } = await packing.exited;
  // 1: a file changed while it was read, as files of a living plugin do.
  if (code === 0 || code === 1 || (code === null && signal === "SIGKILL")) return;
  throw copyFailed(action, said.text().trim() || `tar ended with ${code ?? signal}`);
}
