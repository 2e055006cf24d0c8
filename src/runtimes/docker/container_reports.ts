/** Reports of the engine and the container on an environment: state, health, logs, and the reason of its loss. */
import { Buffer } from "node:buffer";
import type { ContainerInspectInfo } from "dockerode";
import type {
  EnvironmentFingerprint,
  EnvironmentHandle,
  EnvironmentState,
  HealthReport,
} from "../../../machines/model/environment.ts";
import { PthError } from "../../core/errors.ts";
import { fingerprintBytes, fingerprintCommand, parseFingerprint } from "../drift/fingerprint.ts";
import { goneHealth, healthScript, parseHealth } from "../shared/health.ts";
import {
  type InspectOptions,
  inspectScript,
  nothingInside,
  parseInspection,
} from "../shared/inspect_script.ts";
import { containerSourcePath, dockerState, inspectContainer } from "./container.ts";
import { frameReader } from "./demultiplex.ts";
import { engineError } from "./engine.ts";
import type { ContainerExec } from "./exec.ts";
import { execInContainer } from "./exec_in_container.ts";

export async function stateInside(
  place: ContainerExec,
  handle: EnvironmentHandle,
  options?: InspectOptions,
): Promise<EnvironmentState> {
  const info = await inspectContainer(place.engine, place.containerId);
  const running = info?.State.Running === true;
  const facts = running
    ? parseInspection((await execInContainer(place, ["sh", "-c", inspectScript(options)])).stdout)
    : nothingInside;
  return {
    runtime: handle.runtime,
    tier: handle.tier,
    image: handle.image,
    sourcePath: handle.sourcePath,
    status: running ? "running" : info ? "stopped" : "gone",
    limits: limitsOf(handle, info),
    network: dockerState(handle).network.reason,
    ...notesOf(handle),
    ...facts,
    ...(info ? holding(facts, info) : {}),
  };
}

const notesOf = (handle: EnvironmentHandle): { notes?: string[] } => {
  const { notes } = dockerState(handle);
  return notes.length > 0 ? { notes } : {};
};

/** A limit below the machine's own is what the environment has. */
function holding(
  { cpus, memoryMB }: Pick<EnvironmentState, "cpus" | "memoryMB">,
  info: ContainerInspectInfo,
) {
  const { NanoCpus, Memory } = info.HostConfig;
  return {
    cpus: NanoCpus ? Math.min(cpus, NanoCpus / 1e9) : cpus,
    memoryMB: Memory ? Math.min(memoryMB, Memory / 1024 / 1024) : memoryMB,
  };
}

/** An engine that cannot enforce a limit refuses it, or takes it and sets nothing: what it set is what counts. */
function limitsOf(
  handle: EnvironmentHandle,
  info: ContainerInspectInfo | undefined,
): EnvironmentState["limits"] {
  const { cpus, memoryMB, diskGB } = dockerState(handle).resources;
  const set = info?.HostConfig;
  return [
    { name: "cpus", value: cpus, enforced: (set?.NanoCpus ?? 0) > 0 },
    { name: "memoryMB", value: memoryMB, enforced: (set?.Memory ?? 0) > 0 },
    { name: "diskGB", value: diskGB, enforced: set?.StorageOpt?.size !== undefined },
    { name: "pids", value: set?.PidsLimit || undefined, enforced: true },
  ].filter((limit): limit is EnvironmentState["limits"][number] => limit.value !== undefined);
}

export async function containerHealth(place: ContainerExec): Promise<HealthReport> {
  try {
    return parseHealth((await execInContainer(place, ["sh", "-c", healthScript()])).stdout);
  } catch (error) {
    // Asked only now: a container that answers runs.
    const info = await inspectContainer(place.engine, place.containerId);
    if (!info) return goneHealth("The container is gone");
    if (!info.State.Running) return goneHealth(`The container does not run: ${endOf(info)}`);
    throw error;
  }
}

const endOf = ({ State, Config }: ContainerInspectInfo): string => {
  if (State.OOMKilled) return "killed for lack of memory";
  const word = Config.Tty ? endsOfSystemd[State.ExitCode] : undefined;
  return word ?? `ended with ${State.ExitCode}${State.Error ? `: ${State.Error}` : ""}`;
};

/** A machine that goes down in order tells its engine how by the signal that its first process seems to get. */
const endsOfSystemd: Record<number, string> = {
  0: "was shut down from inside",
  129: "was rebooted from inside, which ends a container",
  130: "was powered off or halted from inside",
};

/**
 * Lists its files instead of asking for the engine's own comparison, which takes seconds and restarts with each rollback.
 */
export async function containerFingerprint(
  place: ContainerExec,
  ownNetwork: boolean,
): Promise<EnvironmentFingerprint> {
  const own = ownNetwork ? ["network" as const] : [];
  const words = fingerprintCommand("all", { source: containerSourcePath, own });
  const [{ stdout }, info] = await Promise.all([
    execInContainer(place, words, { maxBytes: fingerprintBytes }),
    inspectContainer(place.engine, place.containerId),
  ]);
  return parseFingerprint(stdout, { given: givenTo(info) });
}

/** Addresses that the engine gave a container: others after each rollback. */
const givenTo = (info: ContainerInspectInfo | undefined): string[] =>
  Object.values(info?.NetworkSettings.Networks ?? {}).flatMap((network) => [
    network.IPAddress,
    `${network.GlobalIPv6Address}/${network.GlobalIPv6PrefixLen}`,
  ]);

/** Prints log files below /var/log that were written since the container was started. */
const writtenLogs = `
[ -d /run/systemd/system ] && journalctl --no-pager --quiet --lines="$1" 2>/dev/null
for file in $(find /var/log -type f -newer /etc/hostname 2>/dev/null); do
  grep -qI . "$file" && echo "==> $file" && tail -n "$1" "$file"
done
true
`;

/** The last lines of the container's own log, or of its journal, and of the log files inside. */
export async function logsOf(place: ContainerExec, tail: number): Promise<string> {
  // With systemd, the container's log is the journal once more.
  const own = place.systemd ? "" : await containerLog(place, tail);
  const { stdout } = await execInContainer(place, ["sh", "-c", writtenLogs, "sh", String(tail)]);
  const lines = `${own}${stdout}`.trimEnd().split("\n");
  return tail > 0 ? lines.slice(-tail).join("\n") : "";
}

/** Returns the last output of the container's first process; with systemd, its journal. */
export async function containerLog(place: ContainerExec, tail: number): Promise<string> {
  try {
    const container = place.engine.getContainer(place.containerId);
    const frames = await container.logs({ stdout: true, stderr: true, tail, follow: false });
    // A terminal's stream comes as it is.
    if (place.systemd) return Buffer.from(frames).toString().replaceAll("\r", "");
    const pieces: Buffer[] = [];
    frameReader((payload) => pieces.push(payload))(Buffer.from(frames));
    return Buffer.concat(pieces).toString();
  } catch (error) {
    throw engineError(error, "Cannot read the container's log", "EXEC_FAILED");
  }
}

/** A machine that goes down in order writes much more than its last words. */
const shutdownLines = 150;

/** The same loss with what is known of it: how the container ended, and its last words. */
export async function containerLossReason(
  place: ContainerExec,
  handle: EnvironmentHandle,
  cause: PthError,
): Promise<PthError> {
  const info = await inspectContainer(place.engine, place.containerId);
  const state = info ? `its container ${endOf(info)}` : "its container is gone";
  // One that is being removed shows no log any more.
  const output = info ? await containerLog(place, place.systemd ? shutdownLines : 50).catch(() => "") : "";
  const facts = info
    ? { exitCode: info.State.ExitCode, outOfMemory: info.State.OOMKilled, endedAt: info.State.FinishedAt }
    : {};
  return new PthError("ENVIRONMENT_LOST", `Cannot use environment ${handle.environmentId}: ${state}`, {
    output,
    ...facts,
  }, { cause });
}
