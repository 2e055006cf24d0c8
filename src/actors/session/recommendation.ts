/** Recommends the environment tier for the session's plugin from its present source. */
import { join } from "node:path";
import type { TierRecommendation } from "../../../machines/model/environment.ts";
import { recommendTier } from "../../plugin/recommend_tier.ts";
import { pathExists } from "../../platform/files.ts";
import type { SessionResources } from "../session_resources.ts";
import { sessionSources } from "./session_sources.ts";

/**
 * Reads the source again and stores the recommendation. A package has none before it is installed; an installed one
 * does not change.
 * @throws {PthError} `INVALID_CONFIG` for a tier that the plugin declares and that does not exist
 */
export async function recommendation(live: SessionResources): Promise<TierRecommendation | undefined> {
  if (isPackage(live.target.target)) {
    const own = live.detected.tier === undefined && live.code.source ? sessionSources(live) : undefined;
    if (own !== undefined) live.detected.tier = await recommendTier(own.folder, own.sources);
    return live.detected.tier;
  }
  const folder = pluginSourceFolder(live);
  if (folder !== undefined && await pathExists(folder)) live.detected.tier = await recommendTier(folder);
  return live.detected.tier;
}

/** The plugin's own folder in the session's copy; undefined for a package, whose source is there only once it is installed. */
export const pluginSourceFolder = ({ target, code: { source } }: SessionResources): string | undefined =>
  source === undefined || isPackage(target.target) ? undefined : join(source.worktree, source.subfolder);

/** Whether the target is a package. */
export const isPackage = (target: string | undefined): boolean => target?.startsWith("npm:") === true;
