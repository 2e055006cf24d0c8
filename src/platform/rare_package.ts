/**
 * npm packages with native parts that few sessions need. Where packages lie beside the code they are imported like others. A
 * bundle has none of them: one is installed into the bundle's folder when it is first needed.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { errorMessage, PthError } from "../core/errors.ts";
import { pathExists } from "./files.ts";
import { installPackage } from "./install_package.ts";
import { log } from "./log.ts";
import { isBundled, ownFile } from "./own_files.ts";

export interface RarePackage<Module> {
  name: string;
  /** Words for people: "draws pictures". */
  purpose: string;
  /** Imports it where packages lie beside the code. */
  load(): Promise<Module>;
}

const loading = new Map<string, Promise<unknown>>();

/**
 * Loads it once; after a failure the next use tries again.
 * @param tell is told when npm starts
 * @throws {PthError} `INSTALL_FAILED` where npm is missing, reaches no registry or cannot write
 */
export async function rarePackage<Module>(
  rare: RarePackage<Module>,
  tell: (text: string) => void = (text) => log.info(text),
): Promise<Module> {
  if (!isBundled()) return await rare.load();
  let module = loading.get(rare.name);
  if (module === undefined) {
    module = loadInstalled(rare, tell);
    loading.set(rare.name, module);
    module.catch(() => loading.delete(rare.name));
  }
  return await module as Module;
}

async function loadInstalled({ name, purpose }: RarePackage<unknown>, tell: (text: string) => void) {
  const folder = ownFile(join("rare", name.replace("/", "+")));
  if (!(await pathExists(folder))) {
    tell(`Installing ${name}, which ${purpose}: once, some seconds`);
    await installPackage(name, folder);
  }
  try {
    return await import(pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)).href);
  } catch (cause) {
    const next = [`Remove ${folder}: the next use installs it again`];
    throw new PthError("INSTALL_FAILED", `Cannot load ${name}: ${errorMessage(cause)}`, { next }, { cause });
  }
}
