/** A package's source is there only once it is installed: what it asks for is told then. */
import { isPackage, recommendation } from "../actors/recommendation.ts";
import type { LiveSession } from "../actors/live_session.ts";
import { messageOf } from "../errors.ts";
import { reasonText } from "../runtimes/choose_runtime.ts";

/** Says where an installed package asks for a higher tier than its environment has. */
export async function noteTier(live: LiveSession): Promise<void> {
  if (!isPackage(live.target.target)) return;
  try {
    const found = await recommendation(live);
    const { tier } = live.requireEnvironment().info.handle;
    if (found === undefined || found.tier <= tier) return;
    live.note(
      `Its source asks for tier ${found.tier}, and this environment is tier ${tier}: ${
        reasonText(found.reasons[0]!)
      }. To move there: pth_reprovision_environment({ tier: ${found.tier} }), or --env-tier ${found.tier}.`,
    );
  } catch (error) {
    // The plugin runs, whatever it declares of itself.
    live.note(`What tier it asks for cannot be told: ${messageOf(error)}`);
  }
}
