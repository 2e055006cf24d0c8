/**
 * Golden states: for each image and size a machine that was booted once and saved with its memory, so that a session's
 * machine goes on from there instead of booting (about a second instead of half a minute where machines are emulated).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { PthError } from "../../core/errors.ts";
import { raceAbort } from "../../core/waiting.ts";
import {
  listFolder,
  mkdir,
  pathExists,
  readTextFile,
  readTextIfExists,
  removeIfExists,
  rename,
  writeTextFile,
} from "../../platform/files.ts";
import { createWhole } from "../../platform/append_durably.ts";
import { processId, readEnv, uid } from "../../platform/host.ts";
import type { Domain, Hypervisor } from "../../platform/libvirt.ts";
import { log } from "../../platform/log.ts";
import { collectOutputs } from "../../platform/process.ts";
import type { SshConnection, SshTarget } from "../../platform/ssh.ts";
import { goldenName } from "../images/vm_images.ts";
import { overlayDisk } from "./disk.ts";
import { type Accelerator, agentPortIn, type DomainPlan } from "./domain_xml.ts";
import { type GoldenInputs, goldenKey } from "./golden_key.ts";
import { reachWaitingAgent, startWaitingAgent } from "./waiting_agent.ts";
import { assetText } from "../../platform/asset_text.ts";
import { waitingScript } from "./waiting_script.ts";
import { libvirtUri } from "./hypervisor.ts";
import { bootVm, reachVm, type VmSpec } from "./vm_spec.ts";
import type { VmImage } from "./vm_image.ts";
import { isOwnerAlive, type Owner, thisProcess } from "../../platform/proc.ts";
import type { VmSize } from "./state.ts";

/** Another one, and golden states of before are not used: an agent of another PTH would not be understood. */
const recipe = (): string =>
  createHash("sha256").update(`3 ${warmScript()} ${waitingScript(Buffer.alloc(0))}`).digest("hex").slice(
    0,
    12,
  );
const warmScript = (): string => assetText("guest/warm.sh");
/** Under this tag the state lies in the disk. */
export const goldenTag = "golden";
/** Session of machines that only become a golden state. */
export const goldenSession = "golden";

export interface Golden {
  key: string;
  /** qcow2 over the image's own disk, with the state in it; to be copied, never run. */
  disk: string;
  /** Whether it had to be made now. */
  made: boolean;
  /** Whether an agent waits in it. */
  agentWaits: boolean;
}

export interface GoldenRequest {
  image: VmImage;
  size: VmSize;
  accelerator: Accelerator;
}

export interface GoldenOptions {
  signal?: AbortSignal;
  /** Progress, line by line. */
  onOutput?: (text: string) => void;
}

/** Time that a boot may take, in ms; `PTH_VM_BOOT_TIMEOUT` (seconds) on machines that are slower still. */
function bootWithin(accelerator: Accelerator): number {
  const asked = Number(readEnv("PTH_VM_BOOT_TIMEOUT"));
  return asked > 0 ? asked * 1000 : accelerator === "kvm" ? 90_000 : 240_000;
}

/**
 * Finds the folder of the golden image that a machine of this kind starts from; it does not change while an
 * image exists.
 */
async function place(
  hypervisor: Hypervisor,
  { image, size, accelerator }: GoldenRequest,
): Promise<{ key: string; inputs: GoldenInputs; folder: string }> {
  const { name, inputs: imageInputs, builtAt } = image;
  const inputs: GoldenInputs = {
    recipe: recipe(),
    image: { name, inputs: imageInputs, builtAt },
    size,
    accelerator,
    hypervisor: await hypervisor.version(),
  };
  const key = goldenKey(inputs);
  return { key, inputs, folder: join(image.folder, goldenName, key) };
}

/** The golden state where it is made already. */
export async function findGolden(hypervisor: Hypervisor, wish: GoldenRequest): Promise<Golden | undefined> {
  const { key, folder } = await place(hypervisor, wish);
  const facts = await readTextIfExists(join(folder, factsName));
  if (facts === undefined) return undefined;
  const { agentWaits } = JSON.parse(facts) as GoldenFacts;
  return { key, disk: join(folder, diskName), made: false, agentWaits };
}

/** Facts that are stored with a golden image. */
interface GoldenFacts extends GoldenInputs {
  agentWaits: boolean;
}

const factsName = "golden.json";
const diskName = "disk.qcow2";

/** Makings in this process, so that environments side by side wait for one. */
const making = new Map<string, Promise<Golden>>();

/**
 * The golden state, made where there is none: one at a time on the machine.
 * @throws {PthError} `PROVISION_FAILED`, `DISK_FULL`, `ENVIRONMENT_LOST` (an image that does not boot) with the console
 */
export async function goldenState(
  hypervisor: Hypervisor,
  wish: GoldenRequest,
  options: GoldenOptions = {},
): Promise<Golden> {
  for (;;) {
    options.signal?.throwIfAborted();
    const found = await findGolden(hypervisor, wish);
    if (found) return found;
    const { folder } = await place(hypervisor, wish);
    const underway = making.get(folder);
    if (underway === undefined) {
      const made = makeAlone(hypervisor, wish, options);
      making.set(folder, made);
      return await made.finally(() => making.delete(folder));
    }
    // A maker whose caller aborts stops; others that wait then make it themselves. Each gets its own result.
    await raceAbort(underway.catch(() => {}), options.signal);
  }
}

async function makeAlone(
  hypervisor: Hypervisor,
  wish: GoldenRequest,
  options: GoldenOptions,
): Promise<Golden> {
  const { folder } = await place(hypervisor, wish);
  await mkdir(join(wish.image.folder, goldenName), { recursive: true, mode: 0o700 });
  const unlock = await lock(`${folder}.lock`, options);
  try {
    return await findGolden(hypervisor, wish) ?? await make(hypervisor, wish, options);
  } finally {
    await unlock();
  }
}

/** Between two looks at a lock that another process holds, in ms. */
const lockPauseMs = 200;

/** Waits for its turn. Should two take over a dead lock at once, both make a golden state, and one is thrown away. */
async function lock(path: string, { signal, onOutput }: GoldenOptions): Promise<() => Promise<void>> {
  const mine = JSON.stringify(await thisProcess());
  for (let told = false;;) {
    signal?.throwIfAborted();
    if (await createWhole(path, mine)) return () => removeIfExists(path);
    const owner = await readTextIfExists(path);
    if (owner !== undefined && !await isOwnerAlive(JSON.parse(owner) as Owner)) await removeIfExists(path);
    else {
      if (!told) onOutput?.("another PTH makes the golden state; waiting for it\n");
      told = true;
      await sleep(lockPauseMs);
    }
  }
}

async function make(hypervisor: Hypervisor, wish: GoldenRequest, options: GoldenOptions): Promise<Golden> {
  const { image, size, accelerator } = wish;
  const { key, inputs, folder } = await place(hypervisor, wish);
  const draft = `${folder}.draft-${processId}-${crypto.randomUUID().slice(0, 8)}`;
  const started = performance.now();
  const tell = (text: string) => {
    log.info("golden state", { image: image.name, key, text });
    options.onOutput?.(`${text}\n`);
  };
  tell(`making the golden state of ${image.name}, once: booting it (half a minute where it is emulated)`);
  try {
    await removeStale(join(image.folder, goldenName), inputs);
    await mkdir(draft, { recursive: true, mode: 0o700 });
    const disk = join(draft, diskName);
    await overlayDisk(image.disk, disk, size.diskGB);
    const plan = goldenImagePlan(image, size, accelerator, {
      name: `pth-golden-${key}-${processId}`,
      mark: { environmentId: `golden-${key}`, sessionId: goldenSession, owner: await thisProcess() },
      disk,
      console: join(draft, "console.log"),
    });
    const agentWaits = await bootAndSave(hypervisor, plan, image, tell, options.signal);
    const facts: GoldenFacts = { ...inputs, agentWaits };
    await writeTextFile(join(draft, factsName), JSON.stringify(facts, null, 2) + "\n");
    await putInPlace(draft, folder);
    tell(`golden state made in ${Math.round((performance.now() - started) / 1000)} s; starting from it`);
    return { key, disk: join(folder, diskName), made: true, agentWaits };
  } finally {
    await removeIfExists(draft);
  }
}

/**
 * Makes the description that every machine of an image shares with its golden image: a state loads only into
 * its like.
 */
export function goldenImagePlan(
  image: VmImage,
  { cpus, memoryMB }: VmSize,
  accelerator: Accelerator,
  own: Pick<DomainPlan, "name" | "mark" | "disk" | "console">,
): DomainPlan {
  const { kernel, initrd, kernelArguments = "" } = image;
  const boot = kernel === undefined ? {} : {
    boot: {
      kernel,
      ...(initrd === undefined ? {} : { initrd }),
      arguments: `${kernelArguments} panic=-1`.trim(),
    },
  };
  const asRoot = uid() === 0 && libvirtUri().endsWith("/system");
  return { ...own, cpus, memoryMB, accelerator, asRoot, agentPort: true, ...boot };
}

/** Tells whether an agent waits in it. */
async function bootAndSave(
  hypervisor: Hypervisor,
  plan: DomainPlan,
  image: VmImage,
  tell: (text: string) => void,
  signal?: AbortSignal,
): Promise<boolean> {
  let machine: VmSpec | undefined;
  try {
    machine = await bootVm(hypervisor, plan);
    const target = { host: "127.0.0.1", port: machine.sshPort, ...await loginOf(image) };
    const connection = await reachVm(machine.domain, target, plan.console, {
      withinMs: bootWithin(plan.accelerator),
      ...(signal ? { signal } : {}),
    });
    tell("it answers; warming it up");
    const abort = () => connection.cut();
    signal?.addEventListener("abort", abort, { once: true });
    let whyNoAgent: string | undefined;
    try {
      await warm(connection, image);
      whyNoAgent = await startWaitingAgent(connection, rootWords(image), target.privateKey);
    } finally {
      signal?.removeEventListener("abort", abort);
      await connection.end();
    }
    signal?.throwIfAborted();
    const agentWaits = whyNoAgent === undefined && await agentAnswers(machine.domain, image, signal);
    if (!agentWaits) tell(`no agent waits in it, so each start takes a login: ${whyNoAgent ?? "no answer"}`);
    await machine.domain.suspend();
    const said = await machine.domain.monitorCommand(`savevm ${goldenTag}`);
    if (said.trim() !== "") throw saveFailed(image, said.trim());
    return agentWaits;
  } finally {
    await machine?.domain.destroy();
  }
}

/** Whether the agent lives on without the login that started it; it does once what it will do. */
async function agentAnswers(domain: Domain, image: VmImage, signal?: AbortSignal): Promise<boolean> {
  const port = agentPortIn(await domain.xml());
  if (port === undefined) return false;
  const there = { ...port, held: true, isHeld: () => Promise.resolve(true) };
  const { privateKey } = await loginOf(image);
  const agent = await reachWaitingAgent(there, privateKey, `${goldenSession}/${crypto.randomUUID()}`, signal);
  if (agent === undefined) return false;
  const command = await agent.runner.start({
    command: ["sh", "-c", "true"],
    cwd: "/",
    env: {},
    stdin: false,
  });
  const status = await command?.settled;
  command?.discard();
  await agent.end();
  return status?.code === 0;
}

const saveFailed = (image: VmImage, said: string): PthError =>
  new PthError("PROVISION_FAILED", `Cannot save the golden image of ${image.name}: ${said}`, {
    next: [{
      terminal: `Build the image again: pth images build ${image.name}`,
      mcp: `Build the image again: pth_rebuild_base_images({ names: ["${image.name}"] })`,
    }],
  });

/** @throws {PthError} `IMAGE_MISSING` where the image's key cannot be read */
export async function loginOf(
  { name, user, privateKey, hostKey }: Pick<VmImage, "name" | "user" | "privateKey" | "hostKey">,
): Promise<Pick<SshTarget, "username" | "privateKey" | "hostKey">> {
  try {
    return { username: user, privateKey: await readTextFile(privateKey), hostKey };
  } catch (cause) {
    throw new PthError("IMAGE_MISSING", `Cannot use image ${name}: its key ${privateKey} cannot be read`, {
      next: [{
        terminal: `Build it again: pth images build ${name}`,
        mcp: `Build it again: pth_rebuild_base_images({ names: ["${name}"] })`,
      }],
    }, { cause });
  }
}

/** Words before a command that make its user root, or none. */
const rootWords = ({ user }: VmImage): string => user === "root" ? "" : "sudo -n";

async function warm(connection: SshConnection, image: VmImage): Promise<void> {
  const channel = await connection.run(`${rootWords(image)} sh -s`);
  const output = collectOutputs({ stdout: channel.io, stderr: channel.stderr }, {});
  channel.io.end(warmScript());
  const status = await channel.ended;
  const { stdout, stderr } = output();
  if (status?.code === 0) return;
  throw new PthError("PROVISION_FAILED", `Cannot warm up ${image.name}: its script ${how(status?.code)}`, {
    output: `${stdout}${stderr}`,
  });
}

const how = (code: number | null | undefined): string =>
  code === undefined || code === null ? "was cut off" : `ended with ${code}`;

async function putInPlace(draft: string, folder: string): Promise<void> {
  try {
    await rename(draft, folder);
  } catch (error) {
    if (!await pathExists(join(folder, factsName))) throw error; // another process was quicker: its state serves
  }
}

/**
 * Removes golden images of an older image, recipe or QEMU, which cannot be used any more; those of other
 * sizes stay.
 */
async function removeStale(parent: string, inputs: GoldenInputs): Promise<void> {
  for (const { name, isDirectory } of await listFolder(parent)) {
    if (!isDirectory) continue; // a lock
    const maker = name.match(/\.draft-(\d+)-/)?.[1];
    const facts = await readTextIfExists(join(parent, name, factsName));
    const stale = maker === undefined
      ? facts !== undefined && isStale(JSON.parse(facts) as GoldenInputs, inputs)
      : !await isOwnerAlive({ pid: Number(maker) });
    if (stale) await removeIfExists(join(parent, name));
  }
}

function isStale(old: GoldenInputs, now: GoldenInputs): boolean {
  const of = ({ recipe, image, hypervisor }: GoldenInputs) =>
    JSON.stringify([recipe, image.inputs, image.builtAt, hypervisor]);
  return of(old) !== of(now);
}
