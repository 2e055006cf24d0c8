/** Long lists in structured answers: bounded, unless everything was asked for. */

/** What one answer carries of a list; a model reads every row. */
export const rowsShown = 200;

/** The first rows, and how many were left out where any were. */
export function capped<Row>(
  rows: readonly Row[],
  detail: boolean | undefined,
): { rows: Row[]; leftOut?: number } {
  if (detail || rows.length <= rowsShown) return { rows: [...rows] };
  return { rows: rows.slice(0, rowsShown), leftOut: rows.length - rowsShown };
}
