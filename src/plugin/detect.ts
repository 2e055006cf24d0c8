/** Finds out how a plugin is built, by convention. */
import type { BuildPlan } from "../../machines/model/plugin.ts";
import type { BuildSystem } from "./build_system.ts";
import { registry } from "./build_systems/_registry.ts";
import type { ReadableFolder } from "./readable_folder.ts";
import { toolchainsOf } from "./toolchains.ts";

interface BuildOverrides {
  /** Commands that replace the detected ones; "" for none. */
  build?: string;
  install?: string;
  isolated: boolean;
}

const systems: BuildSystem[] = [...registry].sort((a, b) => a.row - b.row);

/** The plan, or undefined where there is nothing to install and nothing to build. */
export async function detectBuild(
  folder: ReadableFolder,
  overrides: BuildOverrides,
): Promise<BuildPlan | undefined> {
  const detected = await firstFit(folder, overrides.isolated);
  const install = overrides.install ?? detected?.install ?? "";
  const build = overrides.build ?? detected?.build ?? "";
  if (install === "" && build === "") return undefined;
  const given = [overrides.install, overrides.build].filter((command) => command !== undefined);
  return {
    system: detected?.system ?? "given",
    evidence: detected?.evidence ?? "the command that was given",
    ...(install === "" ? {} : { install }),
    ...(build === "" ? {} : { build }),
    toolchains: [...new Set([...detected?.toolchains ?? [], ...toolchainsOf(given)])],
  };
}

/** Files by which a build system is recognized, for error messages. */
export const knownBuildFiles =
  "package.json, tsconfig.json, pyproject.toml, setup.py, Makefile, Cargo.toml, go.mod, requirements.txt";

async function firstFit(folder: ReadableFolder, isolated: boolean): Promise<BuildPlan | undefined> {
  for (const system of systems) {
    const plan = await system.detect(folder, { isolated });
    if (plan) return plan;
  }
  return undefined;
}
