/** Disks of machines: qcow2 files, made and asked by `qemu-img`. */
import { errorMessage, PthError } from "../../core/errors.ts";
import { isNoSpace } from "../../platform/files.ts";
import { runCommand, type RunOptions } from "../../platform/process.ts";

/** Size as the guest sees it, in GB (1024³). */
export async function diskSizeGB(disk: string): Promise<number> {
  const { "virtual-size": bytes } = JSON.parse(
    await image(["info", "--force-share", "--output=json", disk]),
  ) as { "virtual-size": number };
  return bytes / 1024 ** 3;
}

/** A disk that holds only what differs from another, which must stay where it is. */
export async function overlayDisk(below: string, disk: string, sizeGB: number): Promise<void> {
  const bytes = Math.round(sizeGB * 1024 ** 3);
  await image(["create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", below, disk, String(bytes)]);
}

/** A copy with all states that are saved in it; shares the room on file systems that can. */
export async function copyDisk(from: string, to: string, signal?: AbortSignal): Promise<void> {
  const command = ["cp", "--reflink=auto", "--sparse=always", from, to];
  await succeed(command, `Cannot copy a VM's disk to ${to}`, signal ? { signal } : {});
}

/** Lists the states that are saved in a disk not in use, as a table. */
export const savedStates = (disk: string): Promise<string> => image(["snapshot", "-l", disk]);

const image = (args: string[]): Promise<string> =>
  succeed(["qemu-img", ...args], "Cannot prepare a VM's disk");

async function succeed(command: string[], action: string, options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await runCommand(command, options).catch((error) => {
    if (!(error instanceof PthError)) throw error;
    throw new PthError("RUNTIME_UNAVAILABLE", `${action}: ${errorMessage(error)}`, {
      next: ["Install QEMU's tools: scripts/setup-host.sh --with-vm"],
    }, { cause: error });
  });
  if (code === 0) return stdout;
  throw new PthError(isNoSpace(stderr) ? "DISK_FULL" : "PROVISION_FAILED", `${action}: ${stderr.trim()}`, {
    tried: [command.join(" ")],
    ...(isNoSpace(stderr)
      ? { next: ["Make room where PTH keeps its state (PTH_HOME, PTH_BASE_IMAGE_DIR)"] }
      : {}),
  });
}
