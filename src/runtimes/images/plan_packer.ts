/** Makes the disk of a virtual machine from its distribution's cloud image, by Packer. */
import { isAbsolute, join, resolve } from "node:path";
import { PthError } from "../../core/errors.ts";
import {
  copyFile,
  mkdir,
  pathExists,
  readTextFile,
  readTextIfExists,
  remove,
  removeIfExists,
  rename,
  writeTextFile,
} from "../../platform/files.ts";
import { runsGuests } from "../vm/acceleration.ts";
import { emulatedCpus, type ImageDefinition } from "./catalogue.ts";
import { type BuildOptions, imagesFolder, runOrFail } from "./context.ts";
import type { VmManifest } from "./vm_images.ts";
import { makeScripts, missingTools, packerFolder } from "./vm_inputs.ts";
import type { NextStep } from "../../core/next_step.ts";
import { imageDir } from "../../platform/host.ts";
import { runCommand } from "../../platform/process.ts";

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

/** Time that a host of cloud images may take to answer, in ms. */
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

interface Seed {
  /** With `user-data` and `meta-data` (NoCloud). */
  folder: string;
  /** File of the private key. */
  key: string;
  /** The machine's public host key, as in `known_hosts`. */
  hostKey: string;
}

/** Makes both pairs of keys; the client's private one stays in `keys`, the machine's is only in the seed. */
export async function makeSeed(keys: string, folder: string, options: BuildOptions): Promise<Seed> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const key = join(keys, "id_ed25519");
  const host = join(folder, "host_key");
  for (const file of [key, host]) {
    await runOrFail(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "pth", "-f", file], options);
  }
  const hostKey = (await readTextFile(`${host}.pub`)).trim();
  const userData = seedOf((await readTextFile(`${key}.pub`)).trim(), {
    private: await readTextFile(host),
    public: hostKey,
  });
  await writeTextFile(join(folder, "user-data"), userData);
  await writeTextFile(join(folder, "meta-data"), "instance-id: pth\nlocal-hostname: pth\n");
  for (const file of [host, `${host}.pub`]) await remove(file);
  return { folder, key, hostKey };
}

/** cloud-init's user data; JSON is YAML. */
export const seedOf = (clientKey: string, host: { private: string; public: string }): string =>
  "#cloud-config\n" + JSON.stringify(
    {
      disable_root: false,
      ssh_pwauth: false,
      users: [{ name: "root", ssh_authorized_keys: [clientKey] }],
      ssh_deletekeys: true,
      ssh_keys: { ed25519_private: host.private, ed25519_public: host.public },
    },
    null,
    2,
  ) + "\n";

interface PackerInput {
  /** Files of variables; later ones count. */
  files?: readonly string[];
  variables: Record<string, string | number>;
}

/** Folder of downloaded cloud images, below `imageDir()`. */
export const packerCache = "packer-cache";

/** The installed version. */
async function packerVersion(): Promise<string> {
  const { stdout } = await runCommand(["packer", "version"]);
  return stdout.match(/v(\d+\.\d+\.\d+)/)?.[1] ?? "0.0.0";
}

/** Since 1.7 QEMU's builder is a plugin that a template must ask for; older versions do not know such a request. */
export const needsPlugins = (version: string): boolean => {
  const [major, minor] = version.split(".").map(Number);
  return major! > 1 || minor! >= 7;
};

/**
 * Validates or builds in `work`, a folder of its own: Packer reads every template in the folder of the one it is given.
 * @throws {PthError} `IMAGE_BUILD_FAILED` with Packer's words, `DISK_FULL`; the signal's reason once aborted
 */
export async function runPacker(
  action: "validate" | "build",
  work: string,
  { files = [], variables }: PackerInput,
  options: BuildOptions = {},
): Promise<void> {
  const template = join(work, "template");
  await mkdir(template, { recursive: true });
  const plugins = needsPlugins(await packerVersion());
  for (const name of ["vm.pkr.hcl", ...(plugins ? ["plugins.pkr.hcl"] : [])]) {
    await copyFile(join(await packerFolder(), name), join(template, name));
  }
  // Downloads of cloud images are kept; Packer's own choice is the folder it happens to run in.
  const downloads = !isAbsolute(String(variables.cloud_image ?? ""));
  const env = {
    PACKER_CACHE_DIR: downloads ? join(imageDir(), packerCache) : join(work, packerCache),
    CHECKPOINT_DISABLE: "1",
    PACKER_NO_COLOR: "1",
  };
  if (plugins) await runOrFail(["packer", "init", template], { ...options, env });
  await runOrFail([
    "packer",
    action,
    ...files.map((file) => `-var-file=${file}`),
    ...Object.entries(variables).map(([name, value]) => `-var=${name}=${value}`),
    template,
  ], { ...options, env });
}
