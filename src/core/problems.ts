/** Mistakes in test files, gathered so that a person sees them all at once. */
import { PthError } from "./errors.ts";

/** One mistake at its place; line and column count from 1. */
export interface Problem {
  file: string;
  line: number;
  column: number;
  /** Description of what was expected. */
  message: string;
}

/** `file:line:column what was expected` */
export const problemLine = ({ file, line, column, message }: Problem): string =>
  `${file}:${line}:${column} ${message}`;

/**
 * One error that lists every problem as `file:line:col what was expected`.
 * @param what The files, for the message.
 */
export function invalidTestFiles(problems: readonly Problem[], what = "tests"): PthError {
  const sorted = [...problems].sort((a, b) =>
    a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1
  );
  const lines = sorted.map(problemLine);
  const count = sorted.length === 1 ? "1 problem" : `${sorted.length} problems`;
  return new PthError("INVALID_TEST_FILE", `Cannot read ${what}: ${count}\n${lines.join("\n")}`, {
    problems: sorted,
    next: ["Correct the places named; no test has run"],
  });
}
