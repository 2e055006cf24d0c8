/** Runs Packer on the template under `packer/`, whichever version is installed. */
import { isAbsolute, join } from "node:path";
import { copyFile, mkdir } from "../../platform/files.ts";
import { imageDir } from "../../platform/host.ts";
import { runCommand } from "../../platform/process.ts";
import { type BuildOptions, runOrFail } from "./context.ts";
import { packerFolder } from "./vm_inputs.ts";

export interface PackerInput {
  /** Files of variables; later ones count. */
  files?: readonly string[];
  variables: Record<string, string | number>;
}

/** Folder of downloaded cloud images, below `imageDir()`. */
export const packerCache = "packer-cache";

/** The installed version. */
export async function packerVersion(): Promise<string> {
  const { stdout } = await runCommand(["packer", "version"]);
  return stdout.match(/v(\d+\.\d+\.\d+)/)?.[1] ?? "0.0.0";
}

/** Since 1.7 QEMU's builder is a plugin that a template must ask for; before, nobody understands that. */
export const needsPlugins = (version: string): boolean => {
  const [major, minor] = version.split(".").map(Number);
  return major! > 1 || minor! >= 7;
};

/**
 * Validates or builds in `work`, a folder of its own: Packer reads every template beside the one it is given.
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
