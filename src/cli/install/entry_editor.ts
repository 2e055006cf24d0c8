/** Defines editors of one format each, which set or remove an entry in a text; all else stays as it is written. */

/** Keys from the top of a file to one value. */
export type EntryPath = readonly [table: string, name: string];

export type Entry = Record<string, unknown>;

/** Edits one format. Texts that come in have been parsed without a problem. */
export interface EntryEditor {
  /** The whole value. @throws {SyntaxProblem} */
  parse(text: string): unknown;
  /** Line and column (from 1) of what stands at the path, or of the nearest part of it that exists. */
  place(text: string, path: readonly string[]): { line: number; column: number };
  /** The text with the entry's keys set; the table is made where there is none. */
  set(text: string, path: EntryPath, entry: Entry): string;
  /** The text without the entry, or without the whole table. */
  remove(text: string, path: EntryPath | readonly [table: string]): string;
}

/** A text that is not of its format; line and column count from 1. */
export class SyntaxProblem extends Error {
  override readonly name = "SyntaxProblem";
  readonly line: number;
  readonly column: number;

  constructor(message: string, line: number, column: number, options?: { cause: unknown }) {
    super(message, options);
    this.line = line;
    this.column = column;
  }
}
