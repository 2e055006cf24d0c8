/** Where actors are now, without asking for all of them again. */
import type { ActorRow, Growth } from "../../timeline/timeline.ts";
import { definedValues } from "../address.ts";

/** Actors that are not in the list are new: the next list has them. */
export function moveActors(rows: readonly ActorRow[], moved: Growth["moved"]): ActorRow[] {
  const byActor = new Map(moved.map((move) => [move.actor, move]));
  return rows.map((row) => {
    const move = byActor.get(row.actor);
    if (move === undefined) return row;
    const { value = row.value, status } = move;
    return definedValues({
      ...row,
      value,
      status,
      health: status === "active" ? row.health : "ended" as const,
    });
  });
}
