/** Programs of `src/assets/`: shell, Python, C and JavaScript that run elsewhere than in PTH's own process. */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isBundled, ownFile } from "./own_files.ts";

const texts = new Map<string, string>();

/**
 * Text of a file of `src/assets/`, read once in a process's life. The exported CI runner holds those of `environment/`
 * and the sampler of `stuck/` itself.
 */
export function assetText(name: string): string {
  let text = texts.get(name);
  if (text === undefined) texts.set(name, text = readFileSync(ownFile(`src/assets/${name}`), "utf8"));
  return text;
}

/** Texts of all files of one folder of `src/assets/`, by the names that `assetText` takes. */
export function assetTexts(folder: string): Record<string, string> {
  const names = readdirSync(ownFile(`src/assets/${folder}`)).sort().map((name) => `${folder}/${name}`);
  return Object.fromEntries(names.map((name) => [name, assetText(name)]));
}

/** Text of the main file of an npm package, which is at that path within it; its bundle has a copy. */
export const packageText = (name: string, path: string): string =>
  readFileSync(
    isBundled() ? ownFile(`packages/${name}/${path}`) : createRequire(import.meta.url).resolve(name),
    "utf8",
  );
