/** The tier that a plugin declares for itself, which stands above what its source tells. */
import type { TierReason } from "../../machines/model/environment.ts";
import { PthError } from "../core/errors.ts";
import type { ReadableFolder } from "./readable_folder.ts";
import { readJsonObject } from "./package_json.ts";

/** Manifests that may hold `"pth": { "tier": 2 }`; the first that does counts. */
const manifests = ["package.json", ".claude-plugin/plugin.json"];

/** @throws {PthError} `INVALID_CONFIG` for a tier that there is not, or a manifest that is no JSON object */
export async function declaredTier(folder: ReadableFolder): Promise<TierReason | undefined> {
  for (const file of manifests) {
    const manifest = await readJsonObject(folder, file);
    const tier = (manifest?.pth as { tier?: unknown } | undefined)?.tier;
    if (tier === undefined) continue;
    const place = placeOf(await folder.read(file) ?? "");
    if (tier === 1 || tier === 2 || tier === 3) {
      return { tier, what: "declared by the plugin itself", file, line: place.line, text: place.text };
    }
    throw new PthError(
      "INVALID_CONFIG",
      `Cannot read ${folder.path}/${file}:${place.line}:${place.column} expected pth.tier to be 1, 2 or 3, not ${
        JSON.stringify(tier)
      }`,
      { next: ["Correct it: 1 container, 2 container with systemd, 3 virtual machine"] },
    );
  }
  return undefined;
}

/** Where `tier` stands: the first after `pth`. */
function placeOf(text: string): { line: number; column: number; text: string } {
  const found = /"pth"\s*:\s*\{[^]*?"tier"\s*:\s*/.exec(text);
  const before = text.slice(0, found ? found.index + found[0].length : 0).split("\n");
  const line = before.length;
  return { line, column: before.at(-1)!.length + 1, text: text.split("\n")[line - 1]!.trim() };
}
