/** A bare root file system from the host's own apt mirror, for machines that no image registry answers to. */
import { join } from "node:path";
import { PthError } from "../../core/errors.ts";
import { writeTextFile } from "../../platform/files.ts";
import { runCommand } from "../../platform/process.ts";
import { mirrorOf, readAptSources, sourceLines } from "./apt_sources.ts";
import type { ImageDefinition } from "./catalogue.ts";
import { type BuildOptions, runOrFail } from "./context.ts";
import type { NextStep } from "../../core/next_step.ts";

/** How an image could be bootstrapped here, or why not. */
export type BootstrapPlan =
  | { possible: true; tool: "mmdebstrap" | "debootstrap"; suite: string; lines: string[]; mirror: string }
  | { possible: false; reason: string; next: NextStep[] };

/** Looks at the host's apt sources and tools; nothing is fetched. */
export async function planBootstrap(image: ImageDefinition): Promise<BootstrapPlan> {
  if (!image.bootstrap) {
    return { possible: false, reason: `${image.distro} cannot be made from an apt mirror`, next: [] };
  }
  const { family, suite } = image.bootstrap;
  const mirror = mirrorOf(family, await readAptSources());
  if (!mirror) {
    return { possible: false, reason: `the apt sources of this host name no ${family} mirror`, next: [] };
  }
  const tool = await firstInstalled(["mmdebstrap", "debootstrap"]);
  if (!tool) {
    return {
      possible: false,
      reason: "neither mmdebstrap nor debootstrap is installed",
      next: ["Install one: scripts/setup-host.sh"],
    };
  }
  return { possible: true, tool, suite, lines: sourceLines(mirror, family, suite), mirror: mirror.uri };
}

/**
 * Writes the root file system as a tar file into `folder` and answers its path.
 * @throws {PthError} `IMAGE_BUILD_FAILED`
 */
export async function bootstrap(
  plan: BootstrapPlan & { possible: true },
  folder: string,
  options: BuildOptions,
): Promise<string> {
  const tar = join(folder, "base.tar");
  options.onOutput?.(`bootstrapping ${plan.suite} from ${plan.mirror} with ${plan.tool}\n`);
  if (plan.tool === "mmdebstrap") await withMmdebstrap(plan, folder, tar, options);
  else await withDebootstrap(plan, folder, tar, options);
  return tar;
}

async function withMmdebstrap(
  plan: BootstrapPlan & { possible: true },
  folder: string,
  tar: string,
  options: BuildOptions,
): Promise<void> {
  const list = join(folder, "sources.list");
  await writeTextFile(list, plan.lines.join("\n") + "\n");
  await runOrFail(
    ["mmdebstrap", "--variant=minbase", "--include=ca-certificates", plan.suite, tar, list],
    options,
  );
}

/** debootstrap knows one archive only; the others are written into the result. */
async function withDebootstrap(
  plan: BootstrapPlan & { possible: true },
  folder: string,
  tar: string,
  options: BuildOptions,
): Promise<void> {
  const root = join(folder, "root");
  await runOrFail(
    ["debootstrap", "--variant=minbase", "--include=ca-certificates", plan.suite, root, plan.mirror],
    options,
  );
  await writeTextFile(join(root, "etc/apt/sources.list"), plan.lines.join("\n") + "\n");
  await runOrFail(["tar", "-C", root, "--numeric-owner", "-cf", tar, "."], options);
}

async function firstInstalled<Tool extends string>(tools: readonly Tool[]): Promise<Tool | undefined> {
  for (const tool of tools) {
    if (await isInstalled(tool)) return tool;
  }
  return undefined;
}

async function isInstalled(tool: string): Promise<boolean> {
  try {
    return (await runCommand([tool, "--version"])).code === 0;
  } catch (error) {
    if (error instanceof PthError) return false; // not found: that is the answer
    throw error;
  }
}
