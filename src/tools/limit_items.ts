/** Bounds long lists in structured answers, unless detail is requested. */

/** Maximum of rows of a list in one answer. */
export const rowsShown = 200;

/** The first rows, and how many were left out where any were. */
export function limitItems<Row>(
  rows: readonly Row[],
  detail: boolean | undefined,
): { rows: Row[]; leftOut?: number } {
  if (detail || rows.length <= rowsShown) return { rows: [...rows] };
  return { rows: rows.slice(0, rowsShown), leftOut: rows.length - rowsShown };
}

/** Each list cut to so many rows; `leftOut` counts what was cut, and is absent where nothing was. */
export function limitLists<Lists extends Record<string, readonly unknown[]>>(
  lists: Lists,
  most: number,
): Lists & { leftOut?: Partial<Record<keyof Lists, number>> } {
  const long = Object.entries(lists).filter(([, rows]) => rows.length > most);
  if (long.length === 0) return lists;
  const cut = long.map(([name, rows]) => [name, rows.slice(0, most)]);
  const leftOut = long.map(([name, rows]) => [name, rows.length - most]);
  return { ...lists, ...Object.fromEntries(cut), leftOut: Object.fromEntries(leftOut) };
}
