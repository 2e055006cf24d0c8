/** Widths of the event columns: as wide as their cells, within bounds that leave room for the summary. */
import type { EventRow } from "../../timeline/timeline.ts";
import { endsOf, shortType } from "../format.ts";

/** In letters. */
export interface Columns {
  ends: number;
  type: number;
}

export const minColumnWidth: Columns = { ends: 12, type: 14 };
const most: Columns = { ends: 32, type: 46 };

/** Columns only grow: nothing moves back and forth while one scrolls. */
export function widestCell(rows: Iterable<EventRow>, { ends, type }: Columns): Columns {
  for (const row of rows) {
    const { from, to } = endsOf(row);
    ends = Math.max(ends, from.length + to.length + 3);
    type = Math.max(type, shortType(row.type).length + (row.trouble ? 2 : 0));
  }
  return { ends: Math.min(ends, most.ends), type: Math.min(type, most.type) };
}
