/** One row of the table of build systems; each is a file in `build_systems/`. */
import type { BuildPlan } from "../../machines/model/plugin.ts";
import type { ReadableFolder } from "./readable_folder.ts";

export interface BuildSystem {
  name: string;
  /** Of those that fit, the lowest wins. */
  row: number;
  /** How to install and build the folder, or undefined when it is not of this kind. */
  detect(folder: ReadableFolder, options: DetectOptions): Promise<BuildPlan | undefined>;
}

export interface DetectOptions {
  /** False on the bare host: nothing may then be installed outside the plugin's folder. */
  isolated: boolean;
}

/** Identity with types: the default export of a file in `build_systems/`. */
export const defineBuildSystem = (system: BuildSystem): BuildSystem => system;

/** Quiet enough to read, and with the packages that builds need even where `NODE_ENV` says production. */
export const npmInstall = "npm install --include=dev --no-audit --no-fund --loglevel=error";
