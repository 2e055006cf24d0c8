/**
 * Finds PTH's own files. Below one root they are named alike in the sources and in the bundle of an installed plugin or of
 * the npm package (`scripts/bundle.mjs`); each has a `package.json` there.
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PthError } from "../core/errors.ts";
import { readTextFile } from "./files.ts";
import process from "node:process";
import { isDeno } from "./deno.ts";

let root: string | undefined;

/** The nearest folder above this file with PTH's `package.json`. @throws {PthError} `INTERNAL` */
export const ownRoot = (): string => root ??= findRoot(dirname(fileURLToPath(import.meta.url)));

/** A file of PTH's own by its path in the repository. */
export const ownFile = (path: string): string => join(ownRoot(), path);

/** A module by its path in the repository without its ending, which the sources and a build have each their own. */
export function ownModule(path: string): string {
  const files = [".ts", ".tsx", ".js"].map((ending) => ownFile(path + ending));
  const found = files.find((file) => existsSync(file));
  if (found === undefined) throw incomplete(`there is no ${files.at(-1)}`);
  return found;
}

/** True in the bundle of an installed plugin or of the npm package, where no packages are installed. */
export const isBundled = (): boolean => existsSync(ownFile("prebuilt"));

/** A file of an npm package, as `name/path`; a bundle has copies of those that it needs. */
export const packageFile = (path: string): string =>
  isBundled() ? ownFile(join("packages", path)) : createRequire(import.meta.url).resolve(path);

/** A text that was made when the bundle was; undefined elsewhere. */
export const prebuilt = async (name: string): Promise<string | undefined> =>
  isBundled() ? await readTextFile(ownFile(join("prebuilt", name))) : undefined;

function findRoot(start: string): string {
  for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, "package.json");
    if (existsSync(file) && JSON.parse(readFileSync(file, "utf8")).name === "plugin-test-harness") {
      return folder;
    }
  }
  throw incomplete(`no folder above ${start} is its root`);
}

const incomplete = (state: string): PthError =>
  new PthError("INTERNAL", `Cannot find PTH's own files: ${state}`, {
    next: ["Install PTH again; in a checkout of PTH: npm ci"],
  });

/** The command line of `pth` with these arguments, on this very runtime. */
export function selfCommand(...args: string[]): [string, ...string[]] {
  const flags = isDeno ? ["run", "-A", "--quiet", "--no-lock", "--config", ownFile("deno.json")] : [];
  return [process.execPath, ...flags, isBundled() ? ownFile("cli.js") : ownModule("src/cli"), ...args];
}
