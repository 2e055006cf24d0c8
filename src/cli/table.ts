/** Rows as columns of text. */
import { plain, width } from "../testing/reporters/text.ts";

/** A heading line and the rows, each column as wide as its widest cell; the last column is as long as it is. */
export function renderTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heading, ...rows].map((row) => row.map(plain));
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => width(line[column] ?? ""))));
  const pad = (cell: string, column: number) => cell + " ".repeat(widths[column]! - width(cell));
  return lines.map((line) => line.map(pad).join("  ").trimEnd() + "\n").join("");
}
