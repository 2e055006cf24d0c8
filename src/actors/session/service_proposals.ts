/** What the session's plugin seems to need beside it, as its source stands when the session starts (PTH design §5.1). */
import { proposeServices } from "../../plugin/service_proposals/propose_services.ts";
import type { LiveSession } from "../live_session.ts";
import { sourceFolder } from "./recommendation.ts";
import { exists } from "../../platform/files.ts";

export async function proposeForSession(live: LiveSession): Promise<void> {
  const folder = sourceFolder(live);
  if (folder === undefined || !await exists(folder)) return;
  const found = await proposeServices(folder);
  live.serviceProposals = found.proposals.length === 0 ? undefined : found;
  for (const problem of found.problems) {
    live.note(`Services cannot be read from the compose file: ${problem}`);
  }
}
