/** Which actors are told of at a position: those that live, and of those that ended lately as many as one can look through. */
import type { EndedActors } from "./timeline.ts";
import { actorEnd, type IndexedActor, type TimelineIndex } from "./timeline_index.ts";

export interface ShownActor {
  actor: IndexedActor;
  lives: boolean;
}

/** Of each actor's children so many are told that failed, the last ones. */
const mostFailed = 1000;

/**
 * Parents before children.
 * @param hasFailed asked of those that ended
 */
export function shownActors(
  index: TimelineIndex,
  position: number,
  { ended = 0, endedOfEach = Infinity, selected }: EndedActors,
  hasFailed: (actor: IndexedActor) => boolean,
): ShownActor[] {
  const shown = actorsSince(index, position, ended);
  return endedOfEach === Infinity ? shown : lastOf(shown, endedOfEach, selected, hasFailed);
}

function actorsSince(index: TimelineIndex, position: number, ended: number): ShownActor[] {
  const earliest = position === 0 ? 0 : index.at(position - 1) - ended;
  const shown: ShownActor[] = [];
  for (const actor of index.actors) {
    if (actor.line >= position) break;
    const end = actorEnd(actor);
    const lives = end >= position;
    const recently = ended > 0 && !lives && index.at(end) >= earliest;
    if (lives || recently) shown.push({ actor, lives });
  }
  return shown;
}

function lastOf(
  shown: readonly ShownActor[],
  most: number,
  selected: string | undefined,
  hasFailed: (actor: IndexedActor) => boolean,
): ShownActor[] {
  const [failed, well] = [new LastOfEach(mostFailed), new LastOfEach(most)];
  const last = new Set<IndexedActor>();
  /** Stay with all that they belong to. */
  const wanted: IndexedActor[] = [];
  for (const { actor, lives } of shown.toReversed()) {
    const isFailure = !lives && hasFailed(actor);
    if (lives || (isFailure ? failed : well).takes(actor)) last.add(actor);
    if (actor.actor === selected || (isFailure && last.has(actor))) wanted.push(actor);
  }
  const kept = new Set<IndexedActor | undefined>([undefined]);
  for (const { actor } of shown) if (last.has(actor) && kept.has(actor.parent)) kept.add(actor);
  for (const actor of wanted) {
    for (let at: IndexedActor | undefined = actor; !kept.has(at); at = at?.parent) kept.add(at);
  }
  return shown.filter(({ actor }) => kept.has(actor));
}

/** Counts the children of each actor. */
class LastOfEach {
  readonly #counts = new Map<IndexedActor | undefined, number>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** False for those that are too many of their parent's. */
  takes({ parent }: IndexedActor): boolean {
    const count = (this.#counts.get(parent) ?? 0) + 1;
    this.#counts.set(parent, count);
    return count <= this.#most;
  }
}
