/** Which tier of environment a plugin needs, read from its source. */
import type { TierReason, TierRecommendation } from "../../machines/model/environment.ts";
import type { PluginSources } from "./plugin_sources.ts";
import { declaredTier } from "./declared_tier.ts";
import { detectTierReasons } from "./detect_tier_reasons.ts";
import { ownFiles } from "./own_files.ts";
import { hostFolder, type ReadableFolder } from "./readable_folder.ts";
import { registry } from "./tier_signs/_registry.ts";

/** Places shown for each sign; more of them say nothing new. */
const placesPerSign = 3;
const mostReasons = 20;

/**
 * The tier that a plugin needs and why, from its own source alone: what the code runs and opens, not what it or its documents
 * mention. Something overlooked costs a tier that is asked for by hand; a wrong alarm costs everyone a virtual machine: in
 * doubt nothing is found. `pth.tier` in package.json or .claude-plugin/plugin.json stands above it.
 *
 * @param folder the plugin's; a path is one of the host
 * @param sources of the same folder; needed where it is none of the host's
 * @throws {PthError} `INVALID_CONFIG` for a `pth.tier` that is none
 */
export async function recommendTier(
  folder: string | ReadableFolder,
  sources?: PluginSources,
): Promise<TierRecommendation> {
  const readable = typeof folder === "string" ? hostFolder(folder) : folder;
  const declared = await declaredTier(readable);
  const files = await ownFiles(readable.path, sources);
  const reasons = shown(files.flatMap((file) => detectTierReasons(file, registry)));
  if (declared) return { tier: declared.tier, reasons: [declared, ...reasons].slice(0, mostReasons) };
  return { tier: reasons[0]?.tier ?? 1, reasons };
}

/** The highest tier first; of each sign the first places, each line once. */
function shown(found: readonly TierReason[]): TierReason[] {
  const counts = new Map<string, number>();
  const seen = new Set<string>();
  return found.filter(({ what, file, line }) => {
    const place = `${what}\0${file}\0${line}`;
    const count = counts.get(what) ?? 0;
    if (seen.has(place) || count >= placesPerSign) return false;
    seen.add(place);
    counts.set(what, count + 1);
    return true;
  }).sort((a, b) => b.tier - a.tier).slice(0, mostReasons);
}
