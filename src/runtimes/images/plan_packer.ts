/** Makes the disk of a virtual machine from its distribution's cloud image, by Packer. */
import { join, resolve } from "node:path";
import { PthError } from "../../core/errors.ts";
import { mkdir, pathExists, readTextIfExists, removeIfExists, rename } from "../../platform/files.ts";
import { runsGuests } from "../vm/acceleration.ts";
import type { ImageDefinition } from "./catalogue.ts";
import { type BuildOptions, imagesFolder, runOrFail } from "./context.ts";
import { emulatedCpus } from "./emulated_cpus.ts";
import { missingTools } from "./missing_tools.ts";
import { packerVersion, runPacker } from "./packer.ts";
import type { VmManifest } from "./vm_images.ts";
import { packerFolder } from "./vm_inputs.ts";
import { makeScripts } from "./make_scripts.ts";
import { makeSeed } from "./make_seed.ts";
import type { NextStep } from "../../core/next_step.ts";

export type PackerPlan =
  | { possible: true; cloudImage: string; given: boolean; version: string }
  | { possible: false; reason: string; next: NextStep[] };

/**
 * Looks at this host's tools and the distribution's variables; nothing is fetched. `from` stands for the cloud image.
 * @throws {PthError} `INVALID_INPUT` where `from` is a file that is not there
 */
export async function planPacker(image: ImageDefinition, from?: string): Promise<PackerPlan> {
  const given = from === undefined || isAddress(from) ? from : resolve(from);
  if (given !== undefined && !isAddress(given) && !await pathExists(given)) {
    throw new PthError("INVALID_INPUT", `Cannot build image ${image.name}: there is no disk ${given}`);
  }
  const missing = await missingTools(["packer", "qemu-system-x86_64", "qemu-img", "ssh-keygen"]);
  if (missing.length > 0) {
    return {
      possible: false,
      reason: `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not installed`,
      next: ["Install what is missing: scripts/setup-host.sh --with-vm"],
    };
  }
  const variables = await readTextIfExists(await variablesFile(image));
  const cloudImage = given ?? variables?.match(/^cloud_image\s*=\s*"([^"]+)"/m)?.[1];
  if (cloudImage === undefined) {
    return { possible: false, reason: `packer/ has no variables of ${image.distro}`, next: [] };
  }
  return { possible: true, cloudImage, given: from !== undefined, version: await packerVersion() };
}

const isAddress = (place: string): boolean => /^https?:/.test(place);

const variablesFile = async (image: ImageDefinition): Promise<string> =>
  join(await packerFolder(), `${image.folder}.pkrvars.hcl`);

/**
 * Makes disk and keys in `folder`, and answers what its `image.json` says but for the inputs.
 * @throws {PthError} `NETWORK_UNAVAILABLE` where the cloud image's host does not answer, `IMAGE_BUILD_FAILED`, `DISK_FULL`
 */
export async function packVm(
  image: ImageDefinition,
  plan: Extract<PackerPlan, { possible: true }>,
  folder: string,
  options: BuildOptions,
): Promise<Omit<VmManifest, "inputs">> {
  await requireHost(image, plan.cloudImage, options);
  const work = join(folder, "packer");
  await mkdir(work);
  const seed = await makeSeed(folder, join(work, "seed"), options);
  const context = await makeScripts(options);
  try {
    const payload = join(work, "payload.tar");
    await runOrFail(["tar", "-C", context, "-cf", payload, "."], options);
    const script = join(await imagesFolder(), "vm/provision_cloud.sh");
    const { key } = seed;
    await runPacker("build", work, {
      files: [await variablesFile(image)],
      variables: {
        output: join(work, "out"),
        key,
        seed: seed.folder,
        payload,
        script,
        ...await machine(image),
      },
    }, options);
  } finally {
    await removeIfExists(context);
  }
  await rename(join(work, "out/disk.qcow2"), join(folder, "disk.qcow2"));
  await removeIfExists(work);
  return {
    name: image.name,
    disk: "disk.qcow2",
    emulatedCpus: emulatedCpus(image),
    user: "root",
    privateKey: "id_ed25519",
    hostKey: seed.hostKey,
    builtAt: new Date().toISOString(),
    how: `Packer ${plan.version} from ${plan.cloudImage}`,
  };
}

/** How long a host of cloud images may take to answer, in ms. */
const hostAnswersWithin = 10_000;

/** Asked before anything is made: Packer tries for minutes, and says less. */
async function requireHost(image: ImageDefinition, address: string, { signal, onOutput }: BuildOptions) {
  if (!isAddress(address)) return;
  const late = AbortSignal.timeout(hostAnswersWithin);
  try {
    const answer = await fetch(address, {
      method: "HEAD",
      signal: signal ? AbortSignal.any([late, signal]) : late,
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`it answers ${answer.status}`);
  } catch (error) {
    signal?.throwIfAborted();
    const reason = late.aborted ? `no answer within ${hostAnswersWithin / 1000} s` : causeOf(error);
    onOutput?.(`no cloud image: ${reason}\n`);
    throw new PthError(
      "NETWORK_UNAVAILABLE",
      `Cannot build image ${image.name}: the host of its cloud image does not answer`,
      {
        output: reason,
        tried: [`HEAD ${address}`],
        next: [
          { terminal: `Bring the cloud image by hand: pth images build ${image.name} --from FILE` },
          `Or bring what another machine built: the folder ${image.name} of its PTH_BASE_IMAGE_DIR`,
          {
            terminal: "Use an image that can be made here: pth images list",
            mcp: "Use an image that can be made here: pth_preflight({})",
          },
        ],
      },
      { cause: error },
    );
  }
}

/** fetch says "fetch failed", and the reason in its cause. */
const causeOf = (error: unknown): string => {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
};

/** Emulation takes a multiple of the time. */
async function machine(image: ImageDefinition): Promise<Record<string, string | number>> {
  if (await runsGuests("qemu-system-x86_64") === true) {
    return { accelerator: "kvm", processor: "host", cpus: 2, ssh_timeout: "10m" };
  }
  return { accelerator: "tcg", processor: "max", cpus: emulatedCpus(image), ssh_timeout: "40m" };
}
