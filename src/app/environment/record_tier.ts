/** Records a tier that the plugin needs and its environment does not have, unless it is reported elsewhere. */
import { isPackage, recommendation } from "../../actors/session/recommendation.ts";
import type { SessionResources } from "../../actors/session_resources.ts";
import { errorMessage } from "../../core/errors.ts";
import { tierReasonText } from "../../runtimes/choose_runtime.ts";

/**
 * Says where a plugin asks for a higher tier than its environment has: of a package, whose source is there only once it is
 * installed, and where the environment was asked for. A choice by PTH says it itself.
 */
export async function recordTier(live: SessionResources): Promise<void> {
  try {
    const { handle: { tier }, config } = live.environment.require().info;
    const chosen = config.runtime === "auto" && !live.decided()?.provisioned.tierAsked;
    if (tier === 3 || (chosen && !isPackage(live.target.target))) return;
    const found = await recommendation(live);
    if (found === undefined || found.tier <= tier) return;
    const [why] = found.reasons.filter((reason) => reason.tier === found.tier).map(tierReasonText);
    const said = `Its source asks for tier ${found.tier}, and this environment is tier ${tier}: ${why}`;
    live.progress.note({
      terminal: `${said}. To move there: --env-tier ${found.tier}.`,
      mcp: `${said}. To move there: pth_reprovision_environment({ tier: ${found.tier} }).`,
    });
  } catch (error) {
    // The plugin runs, whatever it declares of itself.
    live.progress.note(`What tier it asks for cannot be told: ${errorMessage(error)}`);
  }
}
