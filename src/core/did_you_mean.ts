/** The known name closest to a mistyped one. */

/** Edits (insert, delete, replace, swap neighbours) that turn one word into the other. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, replace);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, rows[i - 2]![j - 2]! + 1);
      }
      row.push(best);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}

/** The closest of `known`, or undefined when nothing is near (more than a third of the letters differ). */
export function didYouMean(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase().replaceAll("-", "_");
  const ranked = known
    .map((candidate) => ({ candidate, edits: distance(wanted, candidate.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  const best = ranked[0];
  if (best === undefined) return undefined;
  return best.edits <= Math.max(1, Math.floor(Math.max(wanted.length, best.candidate.length) / 3))
    ? best.candidate
    : undefined;
}

/** `" (did you mean "x"?)"`, or the list of what is known where nothing is near. */
export function suggestion(name: string, known: readonly string[]): string {
  const near = didYouMean(name, known);
  return near === undefined ? ` (known: ${known.join(", ")})` : ` (did you mean "${near}"?)`;
}
