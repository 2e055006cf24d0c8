/** One row of the table of build systems; each is a file in `build_systems/`. */
import type { BuildPlan } from "../../machines/model/plugin.ts";
import type { ReadableFolder } from "./readable_folder.ts";

export interface BuildSystem {
  name: string;
  /** Priority: of those that match, the lowest wins. */
  row: number;
  /** Plan to install and build the folder; undefined if it is not of this kind. */
  detect(folder: ReadableFolder, options: DetectOptions): Promise<BuildPlan | undefined>;
}

interface DetectOptions {
  /** False on the bare host: nothing may then be installed outside the plugin's folder. */
  isolated: boolean;
}

/** Identity with types: the default export of a file in `build_systems/`. */
export const defineBuildSystem = (system: BuildSystem): BuildSystem => system;

/** Quiet enough to read, and with the packages that builds need even where `NODE_ENV` says production. */
export const npmInstall = "npm install --include=dev --no-audit --no-fund --loglevel=error";

/** Python's packages go into a venv in the plugin's folder (Debian's own Python refuses them elsewhere). */

/** Interpreter of the venv, seen from the plugin's folder. */
export const venvPython = ".venv/bin/python";

const venv = (options: string) => `python3 -m venv ${options}--clear --system-site-packages .venv`;

/**
 * Makes the venv again, since it contains its own path. Packages of the system may be used; where the system
 * has pip, it serves the venv, too, which saves several seconds.
 */
export const makeVenv = `{ python3 -m pip --version >/dev/null 2>&1 && ${venv("--without-pip ")} || ${
  venv("")
}; }`;

export const pipCommand = `${venvPython} -m pip --disable-pip-version-check --quiet`;
