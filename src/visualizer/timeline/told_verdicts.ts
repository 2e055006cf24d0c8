/** How the work of an actor that is over went, as it told: a test that ended as it should may have found a failure. */
import type { EventLine } from "../recording/format.ts";
import { unabridged } from "./begun_json.ts";
import { failedVerdict } from "./event_text.ts";
import type { ActorRow } from "./timeline.ts";
import { countBefore, type IndexedActor, type TimelineIndex } from "./timeline_index.ts";

/** So many events back, at most, is looked for it among those that its parent heard: its verdict is the last that an actor tells. */
const farBack = 50;

/** So many, the last ones, are looked up at once: of thousands a second nobody reads each, and who goes through time does not wait. */
const mostAtOnce = 2000;

/** What an actor told does not change any more. */
const known = new WeakMap<IndexedActor, boolean>();

/** The rows; of those that ended well, the ones whose verdict is a failure are failing. */
export async function withVerdicts(index: TimelineIndex, rows: readonly ActorRow[]): Promise<ActorRow[]> {
  const ended = rows.filter(({ health, machine }) => health === "ended" && machine !== undefined)
    .map(({ actor }) => index.actor(actor)!);
  await lookAt(index, ended);
  const failed = new Set(ended.filter((actor) => known.get(actor)).map(({ actor }) => actor));
  if (failed.size === 0) return [...rows];
  return rows.map((row) => failed.has(row.actor) ? { ...row, health: "failing" } : row);
}

async function lookAt(index: TimelineIndex, actors: readonly IndexedActor[]): Promise<void> {
  const told: { actor: IndexedActor; line: number }[] = [];
  for (const actor of actors.filter((one) => !known.has(one)).slice(-mostAtOnce)) {
    const line = lastTold(index, actor);
    if (line === undefined) known.set(actor, false);
    else told.push({ actor, line });
  }
  const read = await index.read(told.map(({ line }) => line));
  told.forEach(({ actor }, place) =>
    known.set(actor, failedVerdict(unabridged((read[place] as EventLine).event)) !== undefined)
  );
}

/** The last that its parent heard of it before it ended, but for XState's own. */
function lastTold(index: TimelineIndex, actor: IndexedActor): number | undefined {
  const heard = actor.parent?.heard ?? [];
  const end = countBefore(heard, actor.ended);
  for (let place = end - 1; place >= Math.max(0, end - farBack); place--) {
    const line = heard[place]!;
    if (index.source(line) === actor && !index.eventType(line).startsWith("xstate.")) return line;
  }
  return undefined;
}
