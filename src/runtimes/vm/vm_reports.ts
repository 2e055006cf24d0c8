/** Reports of a machine on itself, and facts that the host knows of it from outside. */
import type {
  EnvironmentFingerprint,
  EnvironmentHandle,
  EnvironmentState,
  HealthReport,
} from "../../../machines/model/environment.ts";
import { fingerprintBytes, fingerprintCommand, parseFingerprint } from "../drift/fingerprint.ts";
import { goneHealth, healthScript, parseHealth } from "../shared/health.ts";
import {
  type InspectOptions,
  inspectScript,
  nothingInside,
  parseInspection,
} from "../shared/inspect_script.ts";
import { consoleTail, endOn } from "./console_tail.ts";
import { diskTarget } from "./domain_xml.ts";
import { findDomain, guestOf } from "./guests.ts";
import { consoleOf, enforcedLimits, guestAddress, hostAddress, vmState } from "./state.ts";

async function printed(handle: EnvironmentHandle, command: string[]): Promise<string> {
  const guest = await guestOf(handle);
  return (await guest.exec(command, { cwd: "/", maxBytes: fingerprintBytes })).stdout;
}

const script = (handle: EnvironmentHandle, text: string, ...args: string[]): Promise<string> =>
  printed(handle, ["sh", "-c", text, "sh", ...args]);

export async function inspectVm(
  handle: EnvironmentHandle,
  options?: InspectOptions,
): Promise<EnvironmentState> {
  const state = vmState(handle);
  const domain = await findDomain(handle);
  const stats = await domain?.stats(diskTarget);
  const facts = domain === undefined
    ? nothingInside
    : parseInspection(await script(handle, inspectScript(options)));
  return {
    runtime: handle.runtime,
    tier: handle.tier,
    image: handle.image,
    sourcePath: handle.sourcePath,
    status: stats === undefined ? "gone" : stats.state === "running" ? "running" : "stopped",
    limits: enforcedLimits(state.asked, state.size),
    network: `QEMU's user network: the host is ${hostAddress}; ${state.speed}${usedOnHost(stats)}`,
    ...facts,
  };
}

function usedOnHost(
  stats: { cpuSeconds: number; memory: { residentMB?: number }; disk?: { allocation: number } } | undefined,
) {
  if (stats === undefined) return "";
  const disk = Math.round((stats.disk?.allocation ?? 0) / 1024 ** 2);
  return `; on the host it takes ${
    stats.memory.residentMB ?? "?"
  } MB of memory and ${disk} MB of disk, and took ` +
    `${Math.round(stats.cpuSeconds)} s of CPU time`;
}

export async function vmHealth(handle: EnvironmentHandle): Promise<HealthReport> {
  if (await findDomain(handle) === undefined) {
    const told = await endOn(consoleOf(vmState(handle)));
    return goneHealth(`The virtual machine is gone${told === undefined ? "" : `: ${told}`}`);
  }
  return parseHealth(await script(handle, healthScript()));
}

export const vmFingerprint = async (handle: EnvironmentHandle): Promise<EnvironmentFingerprint> => {
  const options = { source: handle.sourcePath, own: ["network", "kernel"] } as const;
  return parseFingerprint(await printed(handle, fingerprintCommand("all", options)), {
    given: [guestAddress],
  });
};

const journalScript = 'journalctl --no-pager -q -n "$1" 2>/dev/null || true';

/** The end of the guest's journal, then of its console, which also tells of a guest that does not answer any more. */
export async function vmLogs(handle: EnvironmentHandle, tail: number): Promise<string> {
  if (tail <= 0) return "";
  const console = await consoleTail(consoleOf(vmState(handle)), tail);
  const journal = await findDomain(handle) === undefined
    ? ""
    : await script(handle, journalScript, String(tail));
  const lines = [...journal.trimEnd().split("\n"), ...console.split("\n")].filter((line) => line !== "");
  return lines.slice(-tail).join("\n");
}
