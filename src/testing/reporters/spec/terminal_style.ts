/** Marks and colours of the spec reporter. */
import pc from "picocolors";
import type { ReporterOutput } from "../../reporter.ts";
import { cutToColumns, wrapColumns } from "../../../core/columns.ts";
import type { TestStatus } from "../../../../machines/model/verdict.ts";

export type PaintText = (text: string) => string;

export interface TerminalStyle {
  green: PaintText;
  red: PaintText;
  yellow: PaintText;
  dim: PaintText;
  bold: PaintText;
  marks: Record<TestStatus, string>;
  /** Columns left after what stands before. */
  room(before: number): number;
  /** Cuts to the terminal's width, less what stands before; a pipe or file gets everything. */
  fit(text: string, before?: number): string;
  /** Breaks into lines of the terminal's width, each indented by so many spaces. */
  lines(text: string, indent: number): string[];
}

export function styleOf(output: ReporterOutput): TerminalStyle {
  const { green, red, yellow, dim, bold } = pc.createColors(output.colour);
  const columns = () => (output.isTerminal ? output.columns() : Infinity);
  return {
    green,
    red,
    yellow,
    dim,
    bold,
    marks: { passed: green("✓"), failed: red("✗"), skipped: dim("-"), flaky: yellow("~") },
    room: (before) => columns() - before,
    fit: (text, before = 0) => cutToColumns(text, Math.max(1, columns() - before)),
    lines: (text, indent) =>
      wrapColumns(text, columns() - indent).map((line) => line === "" ? "" : " ".repeat(indent) + line),
  };
}
