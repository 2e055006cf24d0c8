/** Looks now and then how the environment is: once it died, nobody can ask it any more. */
import type { SessionResources } from "../../actors/session_resources.ts";
import { log } from "../../platform/log.ts";

/** Samples the environment's resources in the background during a session; scripted runs go without. */
export function sampleResources(live: SessionResources): void {
  if (live.mode !== "session" || !live.environment.current) return;
  const looked = live.environment.checkHealth().catch((error) => {
    // Whoever needs the environment next is told that it is gone.
    log.debug("Cannot inspect the environment's resources", { error });
  });
  live.tasks.track(looked);
}
