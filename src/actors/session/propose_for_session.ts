/** Proposes services that the session's plugin seems to need, from its source when the session starts. */
import { proposeServices } from "../../plugin/service_proposals/propose_services.ts";
import type { SessionResources } from "../session_resources.ts";
import { pluginSourceFolder } from "./recommendation.ts";
import { pathExists } from "../../platform/files.ts";

export async function proposeForSession(live: SessionResources): Promise<void> {
  const folder = pluginSourceFolder(live);
  if (folder === undefined || !await pathExists(folder)) return;
  const found = await proposeServices(folder);
  live.detected.services = found.proposals.length === 0 ? undefined : found;
  for (const problem of found.problems) {
    live.progress.note(`Services cannot be read from the compose file: ${problem}`);
  }
}
