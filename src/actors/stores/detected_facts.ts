/** Facts about the plugin and this machine that were detected when the session opened. */
import type { TierRecommendation } from "../../../machines/model/environment.ts";
import type { ServiceProposals } from "../../../machines/model/service_proposal.ts";
import type { SuperpowersInstall } from "../../../machines/model/session.ts";

export interface DetectedFacts {
  /** Environment tier that the plugin's source asks for. */
  tier: TierRecommendation | undefined;
  /** Services that the plugin's source seems to need. */
  services: ServiceProposals | undefined;
  /** The plugin of that name in the developer's Claude Code. */
  superpowers: SuperpowersInstall | undefined;
}
