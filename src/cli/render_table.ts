/** Rows as columns of text. */
import { columnWidth } from "../core/columns.ts";
import { stripEscapes } from "../core/text.ts";

/** A heading line and the rows, each column as wide as its widest cell; the last column is as long as it is. */
export function renderTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heading, ...rows].map((row) => row.map(stripEscapes));
  const widths = heading.map((_, column) =>
    Math.max(...lines.map((line) => columnWidth(line[column] ?? "")))
  );
  const pad = (cell: string, column: number) => cell + " ".repeat(widths[column]! - columnWidth(cell));
  return lines.map((line) => line.map(pad).join("  ").trimEnd() + "\n").join("");
}
