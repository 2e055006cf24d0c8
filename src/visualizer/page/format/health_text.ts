/** How an actor is doing, in a word. */
import type { ActorRow } from "../../timeline/timeline.ts";

/** What is over is failing no more: it has failed. */
export const healthText = ({ health, endedAt }: Pick<ActorRow, "health" | "endedAt">): string =>
  health === "failing" && endedAt !== undefined ? "failed" : health;
