import type { PublishedEvent } from "../../api/harness.ts";
import type { SessionActor } from "../send_request.ts";

/** Publishes the decisions of the session's machines, which they emit in the words of the outside. */
export function publishEmitted(
  actor: Pick<SessionActor, "on">,
  publish: (event: PublishedEvent) => void,
): void {
  actor.on("plugin.loaded", publish);
  actor.on("iteration.phase", publish);
  actor.on("iteration.recorded", publish);
  actor.on("fix.committed", publish);
  actor.on("fix.refused", publish);
  actor.on("plugin.reloaded", publish);
  actor.on("matrix.phase", publish);
  actor.on("eval.finished", publish);
  actor.on("agent_test.started", publish);
  actor.on("agent_test.finished", publish);
}
