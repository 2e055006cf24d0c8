/**
 * Whether guests run on the processor itself or are emulated. A /dev/kvm that opens may still run no guest, or slower
 * than emulation, so a very small one is really run, once for each boot of the host.
 */
import { release } from "node:os";
import { join } from "node:path";
import { errorMessage, PthError } from "../../core/errors.ts";
import {
  makeTempDir,
  pathExists,
  readTextIfExists,
  removeIfExists,
  writeFile,
} from "../../platform/files.ts";
import { writeOwnText } from "../../platform/own_folder.ts";
import { stateDir } from "../../platform/host.ts";
import type { Hypervisor } from "../../platform/libvirt.ts";
import { runCommand } from "../../platform/process.ts";
import type { Accelerator } from "./domain_xml.ts";

export interface Acceleration {
  accelerator: Accelerator;
  /** For people: why, and what it means. */
  reason: string;
}

/** Time that the small guest may take, in ms; emulated it takes 100 to 300. */
const patienceMs = 3000;
/** Limit in times as long as emulated: a KVM that is emulated itself runs the small guest, and no real one. */
const slowest = 3;
/** mov al,0x10; out 0xf4,al; cli; hlt: QEMU's `isa-debug-exit` ends with 0x10 * 2 + 1. */
const program = [0xb0, 0x10, 0xe6, 0xf4, 0xfa, 0xf4];
const success = 33;

const slow = "machines are emulated, several times slower than with KVM";

/**
 * Finds the best accelerator that works here, once, and remembers it until the host reboots.
 * @throws {PthError} `RUNTIME_UNAVAILABLE` where libvirt has no QEMU that could run machines
 */
export async function findAcceleration(hypervisor: Hypervisor): Promise<Acceleration> {
  const capabilities = await hypervisor.capabilities();
  const emulator = emulatorIn(capabilities);
  const emulated = (why: string): Acceleration => ({ accelerator: "tcg", reason: `${why}: ${slow}` });
  // A daemon may be kept from a KVM that the host has.
  if (!capabilities.includes("<domain type='kvm'")) {
    return emulated("libvirt has no KVM here");
  }
  const works = await remembered(() => runsGuests(emulator));
  return works === true
    ? { accelerator: "kvm", reason: "machines run with KVM" }
    : emulated(`KVM is there, but runs no guest (${works})`);
}

/** Path of the QEMU that libvirt would run. */
function emulatorIn(capabilities: string): string {
  const found = capabilities.match(/<arch name='x86_64'>[\s\S]*?<emulator>([^<]+)<\/emulator>/)?.[1];
  if (found !== undefined) return found;
  throw new PthError("RUNTIME_UNAVAILABLE", "Cannot run virtual machines: libvirt has no QEMU for x86_64", {
    next: ["Install it: scripts/setup-host.sh --with-vm"],
  });
}

const memory = (): string => join(stateDir(), "acceleration.json");

/** True, or why not. */
type Outcome = true | string;

async function remembered(find: () => Promise<Outcome>): Promise<Outcome> {
  const bootId = (await readTextIfExists("/proc/sys/kernel/random/boot_id"))?.trim() ?? "";
  const host = `${release()} ${bootId}`;
  const known = parseMemory(await readTextIfExists(memory()));
  if (known?.host === host) return known.outcome;
  const outcome = await find();
  await writeOwnText(memory(), JSON.stringify({ host, outcome }));
  return outcome;
}

function parseMemory(text: string | undefined): { host: string; outcome: Outcome } | undefined {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined; // half-written by an older PTH: found out again
  }
}

/** Runs a boot sector that ends QEMU, by KVM and emulated. */
export async function runsGuests(emulator: string, withinMs = patienceMs): Promise<Outcome> {
  if (!await pathExists("/dev/kvm")) return "there is no /dev/kvm";
  const folder = await makeTempDir({ prefix: "pth-kvm-" });
  try {
    const sector = join(folder, "boot");
    await writeFile(sector, bootSector());
    const devices = [
      ...["-m", "16", "-nodefaults", "-display", "none", "-boot", "a"],
      ...["-device", "isa-debug-exit,iobase=0xf4,iosize=4"],
      ...["-drive", `file=${sector},format=raw,if=floppy`],
    ];
    const boot = (accelerator: Accelerator) =>
      runCommand([emulator, "-accel", accelerator, ...devices], { signal: AbortSignal.timeout(withinMs) });
    const { code, stderr, durationMs } = await boot("kvm");
    if (code !== success) return stderr.trim().split("\n").at(-1) ?? `QEMU ended with ${code}`;
    const emulated = await boot("tcg");
    if (durationMs <= slowest * emulated.durationMs) return true;
    const [kvm, tcg] = [durationMs, emulated.durationMs].map((ms) => `${(ms / 1000).toFixed(1)} s`);
    return `it takes ${kvm} for a boot sector, emulation ${tcg}`;
  } catch (error) {
    if (error instanceof DOMException && error.name === "TimeoutError") {
      return `it did not run a boot sector within ${withinMs / 1000} s`;
    }
    return errorMessage(error);
  } finally {
    await removeIfExists(folder);
  }
}

function bootSector(): Uint8Array {
  const sector = new Uint8Array(512);
  sector.set(program);
  sector.set([0x55, 0xaa], 510);
  return sector;
}
