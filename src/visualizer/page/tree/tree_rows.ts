/** The actors as rows of a tree: what is folded or filtered away is no row. */
import type { ActorRow } from "../../timeline/timeline.ts";
import { stateText } from "../format.ts";

export interface TreeOptions {
  /** Actors whose children are folded away. */
  folded: ReadonlySet<string>;
  /** Number of ended children that are shown of each actor, the latest ones. */
  endedOfEach: number;
  /** Stays, also where it ended. */
  selected?: string | undefined;
  /** Part of a name, machine, slot or state; what is around a hit stays. */
  text: string;
}

export interface TreeRow {
  row: ActorRow;
  /** 1 for the outermost. */
  depth: number;
  hasChildren: boolean;
  open: boolean;
}

/** `rows`: parents before children. */
export function treeRows(rows: readonly ActorRow[], options: TreeOptions): TreeRow[] {
  const { folded, text } = options;
  const kept = keep(rows, options);
  const children = new Map<string | undefined, ActorRow[]>();
  for (const row of rows.filter(({ actor }) => kept.has(actor))) {
    const parent = row.parent !== undefined && kept.has(row.parent) ? row.parent : undefined;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [row]);
    else siblings.push(row);
  }
  const result: TreeRow[] = [];
  const add = (row: ActorRow, depth: number) => {
    const below = children.get(row.actor) ?? [];
    // A search shows what it found, also where that was folded away.
    const open = text.trim() !== "" || !folded.has(row.actor);
    result.push({ row, depth, hasChildren: below.length > 0, open });
    if (open) { for (const child of below) add(child, depth + 1); }
  };
  for (const row of children.get(undefined) ?? []) add(row, 1);
  return result;
}

/** Actors that match, and their ancestors. */
function keep(rows: readonly ActorRow[], { endedOfEach, selected, text }: TreeOptions): Set<string> {
  const kept = new Set<string>();
  const tooMany = endedBefore(rows, endedOfEach);
  const searched = text.trim().toLowerCase();
  const parents = new Map(rows.map(({ actor, parent }) => [actor, parent]));
  for (const row of rows) {
    if ((tooMany.has(row.actor) && row.actor !== selected) || !says(row, searched)) continue;
    for (let at: string | undefined = row.actor; at !== undefined && !kept.has(at); at = parents.get(at)) {
      if (parents.has(at)) kept.add(at);
    }
  }
  return kept;
}

/** Ended actors that are not among the last so many of their parent's. What ended in a failure is none of them. */
function endedBefore(rows: readonly ActorRow[], most: number): Set<string> {
  const found = new Set<string>();
  const counts = new Map<string | undefined, number>();
  for (const { actor, parent, health } of rows.toReversed()) {
    if (health !== "ended") continue;
    const count = (counts.get(parent) ?? 0) + 1;
    counts.set(parent, count);
    if (count > most) found.add(actor);
  }
  return found;
}

const says = ({ id, name, machine, slot, value }: ActorRow, text: string): boolean =>
  text === "" ||
  [id, name, machine, slot, stateText(value)].some((part) => part?.toLowerCase().includes(text));
