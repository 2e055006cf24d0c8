/** Line numbers as closed ranges of lines that follow each other. */
export function lineRanges(lines: Iterable<number>): [number, number][] {
  const found: [number, number][] = [];
  for (const line of [...new Set(lines)].sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === line - 1) last[1] = line;
    else found.push([line, line]);
  }
  return found;
}
