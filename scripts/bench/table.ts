/** A row of the bench: what, how much, beside what, and the target where there is one. */
export interface Row {
  what: string;
  /** Median in `unit`, or a single reading. */
  value: number;
  unit: "µs" | "ms" | "MB" | "×";
  /** The plain tool's figure for the same work, in the same unit. */
  plain?: { tool: string; value: number };
  target?: string;
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Runs the work `times` times after one that does not count, and gives the median in milliseconds. */
export async function time(times: number, work: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round <= times; round++) {
    const started = performance.now();
    await work();
    if (round > 0) taken.push(performance.now() - started);
  }
  return median(taken);
}

const number = (value: number) =>
  value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(3);

export function printTable(title: string, rows: readonly Row[]): void {
  const cells = rows.map(({ what, value, unit, plain, target }) => [
    what,
    `${number(value)} ${unit}`,
    plain ? `${number(plain.value)} ${unit} ${plain.tool}` : "",
    plain ? `${(value / plain.value).toFixed(2)}×` : "",
    target ?? "",
  ]);
  const head = [title, "PTH", "plain tool", "ratio", "target"];
  const widths = head.map((_, column) => Math.max(...[head, ...cells].map((row) => row[column]!.length)));
  for (const row of [head, widths.map((width) => "─".repeat(width)), ...cells]) {
    console.log(row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ").trimEnd());
  }
  console.log();
}
