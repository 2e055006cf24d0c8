/** Starting machines: from nothing (a boot) or from a state that was saved, and reaching them over SSH. */
import { setTimeout as sleep } from "node:timers/promises";
import { PthError } from "../../core/errors.ts";
import type { Domain, Hypervisor } from "../../platform/libvirt.ts";
import { listenOnLoopback } from "../../platform/sockets.ts";
import { connectSsh, type SshConnection, sshProblem, type SshTarget } from "../../platform/ssh.ts";
import { consoleTail, endOn } from "./console_tail.ts";
import { type DomainPlan, domainXml, netdev } from "./domain_xml.ts";

/** A machine that runs, and the port of the host's loopback that leads to its sshd. */
export interface VmSpec {
  domain: Domain;
  sshPort: number;
}

/** Boots a machine; failing, it leaves none behind. @throws {PthError} `PROVISION_FAILED` */
export async function bootVm(hypervisor: Hypervisor, plan: DomainPlan): Promise<VmSpec> {
  return await startMachine(hypervisor, plan, () => Promise.resolve());
}

/** Starts a machine in the state that its disk holds under this tag. @throws {PthError} `PROVISION_FAILED` */
export async function restoreVm(
  hypervisor: Hypervisor,
  plan: DomainPlan,
  tag: string,
): Promise<VmSpec> {
  return await startMachine(hypervisor, plan, async (domain) => {
    const said = await domain.monitorCommand(`loadvm ${tag}`);
    if (said.trim() !== "") throw new Error(`its saved state does not load: ${said.trim()}`);
  });
}

async function startMachine(
  hypervisor: Hypervisor,
  plan: DomainPlan,
  prepare: (domain: Domain) => Promise<void>,
): Promise<VmSpec> {
  let domain: Domain | undefined;
  try {
    domain = await hypervisor.create(domainXml(plan), { paused: true });
    await prepare(domain);
    const sshPort = await forwardSsh(domain);
    await domain.resume();
    return { domain, sshPort };
  } catch (error) {
    await domain?.destroy();
    throw await startError(error, plan);
  }
}

async function startError(error: unknown, plan: DomainPlan): Promise<PthError> {
  if (error instanceof PthError && error.code === "RUNTIME_UNAVAILABLE") return error;
  const words = error instanceof Error
    ? error.message.replace(/^Cannot create the machine: /, "")
    : `${error}`;
  const full = /no space left/i.test(words);
  return new PthError(full ? "DISK_FULL" : "PROVISION_FAILED", `Cannot start the VM: ${words}`, {
    output: await consoleTail(plan.console),
    machine: plan.name,
    next: full
      ? ["Make room on the disk that holds PTH's state (PTH_HOME)"]
      : ["See what libvirt says: virsh --connect qemu:///system version"],
  }, { cause: error });
}

/** Number of other ports that are tried where the one that was free a moment ago is taken. */
const portTries = 5;

/** Leads a free port of the host's loopback to the guest's sshd; a restored machine has lost what it had. */
async function forwardSsh(domain: Domain): Promise<number> {
  let said = "";
  for (let turn = 0; turn < portTries; turn++) {
    const free = await listenOnLoopback(0, (socket) => void socket.destroy());
    await free.close();
    said = await domain.monitorCommand(`hostfwd_add ${netdev} tcp:127.0.0.1:${free.port}-:22`);
    if (said.trim() === "") return free.port;
  }
  throw new Error(`no port of the host leads to its sshd: ${said.trim()}`);
}

export interface ReachOptions {
  signal?: AbortSignal;
  /** Time to wait for sshd, in ms. */
  withinMs: number;
}

/** Between two looks at a guest that does not answer yet, in ms. */
const pauseMs = 100;

/**
 * Connects to the guest, waiting for its sshd as long as the machine lives.
 * @param consoleFile What the guest said goes into the error.
 * @throws {PthError} `ENVIRONMENT_LOST` where it ended, never answers, or does not take the key
 */
export async function reachVm(
  domain: Domain,
  target: SshTarget,
  consoleFile: string,
  { signal, withinMs }: ReachOptions,
): Promise<SshConnection> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    signal?.throwIfAborted();
    const left = deadline - performance.now();
    try {
      return await connectSsh(target, {
        timeoutMs: Math.max(1000, left),
        answerMs: Math.max(1000, Math.min(5000, left)),
        ...(signal ? { signal } : {}),
      });
    } catch (error) {
      signal?.throwIfAborted();
      if (sshProblem(error) !== "not-answering") throw await withConsole(error, consoleFile);
      if (!await domain.exists()) throw await vmEndedError(domain.name, consoleFile);
      if (performance.now() > deadline) throw await neverAnswered(domain, consoleFile, withinMs, error);
    }
    await sleep(pauseMs);
  }
}

async function withConsole(error: unknown, consoleFile: string): Promise<unknown> {
  if (!(error instanceof PthError)) return error;
  const output = await consoleTail(consoleFile);
  return new PthError(error.code, error.message, { ...error.context, output }, { cause: error });
}

/** The error of a machine that is not there any more, with its last words. */
export async function vmEndedError(name: string, consoleFile: string): Promise<PthError> {
  const output = await consoleTail(consoleFile);
  const how = await endOn(consoleFile) ?? "it ended without a word on its console";
  return new PthError("ENVIRONMENT_LOST", `Cannot use VM ${name}: ${how}`, {
    output,
    next: [{ mcp: "Provision a new one: pth_reprovision_environment" }, "Look at its console above"],
  });
}

async function neverAnswered(
  domain: Domain,
  consoleFile: string,
  withinMs: number,
  cause: unknown,
): Promise<PthError> {
  const { state, cpuSeconds } = await domain.info();
  const seconds = Math.round(withinMs / 1000);
  return new PthError(
    "ENVIRONMENT_LOST",
    `Cannot reach VM ${domain.name}: it runs, but no sshd answered within ${seconds} s`,
    {
      output: await consoleTail(consoleFile),
      state,
      cpuSeconds,
      next: [
        "Look at its console above: a failed unit, a file system that was not mounted, a network that is down",
        {
          terminal: "Build the image again: pth images build <image>",
          mcp: 'Build the image again: pth_rebuild_base_images({ names: ["<image>"] })',
        },
      ],
    },
    { cause },
  );
}
