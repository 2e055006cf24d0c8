/** Marks and colours of the spec reporter. */
import pc from "picocolors";
import type { ReporterOutput } from "../../reporter.ts";
import { cut, wrap } from "../text.ts";
import type { TestStatus } from "../../../../machines/model/verdict.ts";

export type Paint = (text: string) => string;

export interface Style {
  green: Paint;
  red: Paint;
  yellow: Paint;
  dim: Paint;
  bold: Paint;
  marks: Record<TestStatus, string>;
  /** Columns left after what stands before. */
  room(before: number): number;
  /** Cuts to the terminal's width, less what stands before; a pipe or file gets everything. */
  fit(text: string, before?: number): string;
  /** Breaks into lines of the terminal's width, each indented by so many spaces. */
  lines(text: string, indent: number): string[];
}

export function styleOf(output: ReporterOutput): Style {
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
    fit: (text, before = 0) => cut(text, Math.max(1, columns() - before)),
    lines: (text, indent) =>
      wrap(text, columns() - indent).map((line) => line === "" ? "" : " ".repeat(indent) + line),
  };
}
