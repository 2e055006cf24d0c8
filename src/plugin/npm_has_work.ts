/** Whether `npm install` would bring or run anything: where not, it takes its time (a minute in an emulated machine) for nothing. */
import { dirname } from "node:path";
import { PthError } from "../core/errors.ts";
import { type EnvironmentAccess, insideFolder } from "./environment_access.ts";
import { type PackageJson, readPackageJson } from "./package_json.ts";

/** Scripts that npm runs at an install, in its order. */
const installScripts = [
  "preinstall",
  "install",
  "postinstall",
  "prepublish",
  "preprepare",
  "prepare",
  "postprepare",
  "dependencies",
];

/** Parts of a manifest that have npm bring something. */
const bringing = [
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies",
  "workspaces",
] as const;

/**
 * False where package.json tells neither dependencies nor scripts that an install runs, and no manifest above it, up to the
 * source's folder, makes a workspace of it. A manifest that is missing or broken is left to npm's own words.
 */
export async function npmHasWork(folder: string, env: EnvironmentAccess): Promise<boolean> {
  try {
    const place = insideFolder(env, folder);
    const manifest = await readPackageJson(place);
    // npm compiles what a binding.gyp describes without any script that says so.
    return manifest === undefined || asksForMore(manifest) || await place.exists("binding.gyp") ||
      await inWorkspace(folder, env);
  } catch (error) {
    if (error instanceof PthError && error.code === "INVALID_CONFIG") return true;
    throw error;
  }
}

const asksForMore = (manifest: PackageJson): boolean =>
  bringing.some((part) => Object.keys(manifest[part] ?? {}).length > 0) ||
  installScripts.some((script) => manifest.scripts?.[script] !== undefined);

async function inWorkspace(folder: string, env: EnvironmentAccess): Promise<boolean> {
  for (let above = folder; above.startsWith(`${env.sourcePath}/`);) {
    above = dirname(above);
    const manifest = await readPackageJson(insideFolder(env, above));
    if (manifest?.workspaces !== undefined) return true;
  }
  return false;
}
