/** Rows of actors for tests. */
import type { ActorRow } from "../../../../src/visualizer/timeline/timeline.ts";

export const row = (actor: string, more: Partial<ActorRow> = {}): ActorRow => ({
  actor,
  id: actor,
  status: "active",
  startedAt: 0,
  heard: 0,
  health: "well",
  children: 0,
  ...more,
});
