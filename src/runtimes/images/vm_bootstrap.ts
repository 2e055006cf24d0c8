/** Makes the disk of a virtual machine from the host's apt mirror: no download of an image, no Packer, nothing booted. */
import { join } from "node:path";
import { PthError } from "../../core/errors.ts";
import { readTextFile, removeIfExists, rename, writeTextFile } from "../../platform/files.ts";
import { uid } from "../../platform/host.ts";
import { type BootstrapPlan, planBootstrap } from "./bootstrap.ts";
import { emulatedCpus, type ImageDefinition } from "./catalogue.ts";
import { type BuildOptions, imagesFolder, runOrFail } from "./context.ts";
import type { VmManifest } from "./vm_images.ts";
import { makeScripts, missingTools, scriptsFolder, vmRecipe } from "./vm_inputs.ts";
import { quoted } from "../../platform/process.ts";

type Plan = Extract<BootstrapPlan, { possible: true }>;

/** Whether this host can, or why not. */
export async function planVmBootstrap(image: ImageDefinition): Promise<BootstrapPlan> {
  const plan = await planBootstrap(image);
  if (!plan.possible) return plan;
  // Without root it is done in a user namespace with sub-ids.
  const more = uid() === 0 ? [] : ["unshare", "newuidmap"];
  const missing = await missingTools(["mmdebstrap", "qemu-img", "mkfs.ext4", ...more]);
  if (missing.length === 0) return plan;
  return {
    possible: false,
    reason: `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not installed`,
    next: ["Install what is missing: scripts/setup-host.sh --with-vm"],
  };
}

/**
 * Makes disk, kernel, initrd and keys in `folder`, and answers what its `image.json` says but for the inputs.
 * @throws {PthError} `IMAGE_BUILD_FAILED`, `DISK_FULL`; the signal's reason once aborted
 */
export async function bootstrapVm(
  image: ImageDefinition,
  plan: Plan,
  folder: string,
  options: BuildOptions,
): Promise<Omit<VmManifest, "inputs">> {
  const context = await makeScripts(options);
  try {
    await makeRoot(plan, context, folder, options);
    options.onOutput?.(`making a disk of ${vmRecipe.diskSize}\n`);
    await makeDisk(folder, options);
  } finally {
    await removeIfExists(context);
  }
  for (const file of ["vmlinuz", "initrd.img", "id_ed25519", "host_key.pub"]) {
    await rename(join(folder, "pth", file), join(folder, file));
  }
  await removeIfExists(join(folder, "pth"));
  return {
    name: image.name,
    disk: "disk.qcow2",
    kernel: "vmlinuz",
    initrd: "initrd.img",
    kernelArguments: vmRecipe.kernelArguments,
    emulatedCpus: emulatedCpus(image),
    user: "root",
    privateKey: "id_ed25519",
    hostKey: (await readTextFile(join(folder, "host_key.pub"))).trim(),
    builtAt: new Date().toISOString(),
    how: `bootstrap of ${plan.suite} from the host's apt mirror`,
  };
}

/** mmdebstrap runs the steps itself, as root or in a user namespace; the result is a tar for any user. */
async function makeRoot(plan: Plan, context: string, folder: string, options: BuildOptions): Promise<void> {
  options.onOutput?.(`bootstrapping ${plan.suite} from ${plan.mirror} with ${plan.tool}\n`);
  const list = join(folder, "sources.list");
  await writeTextFile(list, plan.lines.join("\n") + "\n");
  const inside = (script: string, ...more: string[]): string =>
    ['chroot "$1" sh', `${scriptsFolder}/${script}`, ...more].join(" ");
  // Hooks are lines for a shell.
  const hooks = [
    `sync-in ${quoted(context)} /`,
    inside("provision.sh"),
    // The initrd of the distribution is not used: it takes ten times as long.
    `INITRD=No ${inside("packages.sh", ...vmRecipe.packages)}`,
    inside("boot_quickly.sh"),
    `copy-out /boot/pth ${quoted(folder)}`,
    'rm -r "$1/boot/pth"',
  ];
  await runOrFail([
    "mmdebstrap",
    "--variant=minbase",
    "--include=ca-certificates",
    // Nothing here must outlive a power cut, neither now nor in a test.
    "--dpkgopt=force-unsafe-io",
    // Documentation and translations are a third of it, and no test reads them.
    ...["man", "doc", "locale"].map((folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`),
    ...hooks.map((hook) => `--customize-hook=${hook}`),
    plan.suite,
    join(folder, "root.tar"),
    list,
  ], options);
  await removeIfExists(list);
}

/** Files of all owners are laid out for a moment: by root, or by one of a user namespace. */
async function makeDisk(folder: string, options: BuildOptions): Promise<void> {
  const script = join(await imagesFolder(), "vm/make_disk.sh");
  const asRoot = uid() === 0 ? [] : ["unshare", "--map-root-user", "--map-auto"];
  const disk = join(folder, "disk.qcow2");
  try {
    await runOrFail([...asRoot, "sh", script, join(folder, "root.tar"), disk, vmRecipe.diskSize], options);
  } catch (error) {
    if (uid() === 0 || !(error instanceof PthError)) throw error;
    const next = ["Give this user sub-ids (/etc/subuid, newuidmap), or build as root"];
    throw new PthError(error.code, error.message, { ...error.context, next }, { cause: error });
  }
}
