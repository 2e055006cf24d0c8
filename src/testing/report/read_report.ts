/** The text of a published report, checked; what is wrong is told at its line and column. */
import { type Report, reportSchema } from "./report_schema.ts";
import { PthError } from "../../core/errors.ts";
import { issueText } from "../format/issue_text.ts";
import { jsonMistake } from "../../core/json_mistake.ts";
import type { Problem } from "../../core/problems.ts";
import { type Path, readSource } from "../../core/read_source.ts";

/** A file that is no report at all has a mistake in every line; these tell enough. */
const mostProblems = 20;

/** @throws {PthError} `INVALID_INPUT` with every problem as `file:line:column message` */
export function readReport(file: string, text: string): Report {
  const parsed = parse(file, text);
  const read = reportSchema.safeParse(parsed);
  if (read.success) return read.data;
  // Only now: finding places takes longer than reading.
  const [document] = readSource(file, text).documents;
  throw invalidReport(read.error.issues.map((issue): Problem => {
    const path = issue.path as Path;
    if (issue.code !== "unrecognized_keys" || document === undefined) {
      const place = document?.place(path) ?? { line: 1, column: 1 };
      return { file, ...place, message: issueText(issue, parsed) };
    }
    const [key] = issue.keys;
    return {
      file,
      ...document.placeOfKey(path, key!),
      message: `unknown key "${key}": is it from a newer pth?`,
    };
  }));
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { offset, expected } = jsonMistake(text) ?? { offset: 0, expected: (error as Error).message };
    const before = text.slice(0, offset).split("\n");
    const message = text.trim() === "" ? "the file is empty" : `not valid JSON: expected ${expected}`;
    throw invalidReport([{ file, line: before.length, column: before.at(-1)!.length + 1, message }]);
  }
}

export function invalidReport(problems: readonly Problem[]): PthError {
  const shown = problems.slice(0, mostProblems);
  const lines = shown.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`);
  const left = problems.length - shown.length;
  const more = left > 0 ? [`… and ${left} more`] : [];
  return new PthError("INVALID_INPUT", `Cannot read a report:\n${[...lines, ...more].join("\n")}`, {
    problems: shown,
    next: [{ terminal: "Give files that --reporter json:FILE or --output DIR wrote" }],
  });
}
