/** Which tier the session's plugin asks for, as its source stands now (PTH design §4). */
import { join } from "node:path";
import type { TierRecommendation } from "../../machines/model/environment.ts";
import { recommendTier } from "../plugin/tier_analysis.ts";
import { exists } from "../platform/files.ts";
import { parseTarget } from "../session/target.ts";
import type { LiveSession } from "./live_session.ts";

/**
 * Reads it anew and keeps it. Of what is not there yet, a package before it is installed, nothing is known.
 * @throws {PthError} `INVALID_CONFIG` for a tier that the plugin declares and that there is not
 */
export async function recommendation(live: LiveSession): Promise<TierRecommendation | undefined> {
  const folder = await sourceFolder(live);
  if (folder !== undefined && await exists(folder)) live.recommendation = await recommendTier(folder);
  return live.recommendation;
}

/** The plugin's own folder in the session's copy. */
export async function sourceFolder({ target, source }: LiveSession): Promise<string | undefined> {
  if (source === undefined) return undefined;
  if (!isPackage(target.target)) return join(source.worktree, source.subfolder);
  const parsed = await parseTarget(target);
  return parsed.kind === "npm" ? join(source.worktree, "node_modules", parsed.package) : undefined;
}

/** Whether the target is a package, whose source is there only once it is installed. */
export const isPackage = (target: string | undefined): boolean => target?.startsWith("npm:") === true;
