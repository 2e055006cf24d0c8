/** Where text that does not occur nearly does, for whoever has to correct it. */

const shown = 3;
/** Share of letter pairs that two lines must have in common to be called near. */
const near = 0.5;

/** One line per place, most alike first; or that only white space differs. */
export function nearestLines(text: string, find: string): string[] {
  const lines = text.split(/\r?\n/);
  const wanted = find.split(/\r?\n/);
  const loose = sameButForSpace(lines, wanted);
  if (loose !== undefined) {
    const there = lines.slice(loose, loose + Math.min(wanted.length, 10));
    return [`It differs only in white space from line ${loose + 1}:`, ...there.map(quoted(loose))];
  }
  const first = wanted.find((line) => line.trim() !== "")?.trim() ?? "";
  const pairs = pairsOf(first);
  const ranked = lines
    .map((line, index) => ({ line, index, score: alike(pairs, pairsOf(line.trim())) }))
    .filter(({ score }) => score >= near)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, shown);
  if (ranked.length === 0) return ["No line comes near its first line"];
  return ["Nearest to its first line:", ...ranked.map(({ line, index }) => quoted(index)(line, 0))];
}

const quoted = (from: number) => (line: string, index: number): string =>
  `  ${from + index + 1}: ${line.slice(0, 160)}`;

function sameButForSpace(lines: string[], wanted: string[]): number | undefined {
  const bare = (line: string) => line.replaceAll(/\s+/g, "");
  const goal = wanted.map(bare);
  if (goal.every((line) => line === "")) return undefined;
  const all = lines.map(bare);
  // A find may begin or end in the middle of a line.
  const fits = (start: number) =>
    goal.every((line, index) => {
      const there = all[start + index];
      if (there === undefined) return false;
      if (goal.length === 1) return there.includes(line);
      if (index === 0) return there.endsWith(line);
      return index === goal.length - 1 ? there.startsWith(line) : there === line;
    });
  const start = all.findIndex((_, index) => fits(index));
  return start === -1 ? undefined : start;
}

function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  const bounded = text.slice(0, 300);
  for (let at = 0; at < bounded.length - 1; at++) {
    const pair = bounded.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** Dice's coefficient: 1 for the same letter pairs, 0 for none in common. */
function alike(a: Map<string, number>, b: Map<string, number>): number {
  const size = (pairs: Map<string, number>) => [...pairs.values()].reduce((sum, count) => sum + count, 0);
  const total = size(a) + size(b);
  if (total === 0) return 0;
  let common = 0;
  for (const [pair, count] of a) common += Math.min(count, b.get(pair) ?? 0);
  return 2 * common / total;
}
