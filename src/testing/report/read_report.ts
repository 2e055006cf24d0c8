/** Reads and checks the text of a published report; errors name the line and column. */
import type { z } from "zod";
import type { NextStep } from "../../core/next_step.ts";
import { type Report, reportSchema } from "./report_schema.ts";
import { PthError } from "../../core/errors.ts";
import { issueText } from "../../core/issue_text.ts";
import type { Problem } from "../../core/problems.ts";
import { type Path, readSource } from "../../core/read_source.ts";

/** Most problems that are shown: a file that is no report at all has one in every line. */
const mostProblems = 20;

/** @throws {PthError} `INVALID_INPUT` with every problem as `file:line:column message` */
export const readReport = (file: string, text: string): Report =>
  readPublished(file, text, reportSchema, [{
    terminal: "Give files that --reporter json:FILE or --output DIR wrote",
  }]);

/**
 * Reads a published file of PTH's.
 * @param next For a file that is none
 * @throws {PthError} `INVALID_INPUT` with every problem as `file:line:column message`
 */
export function readPublished<Value>(
  file: string,
  text: string,
  schema: z.ZodType<Value>,
  next: readonly NextStep[],
): Value {
  const parsed = parse(file, text, next);
  const read = schema.safeParse(parsed);
  if (read.success) return read.data;
  // Only now: finding places takes longer than reading.
  const [document] = readSource(file, text).documents;
  const problems = read.error.issues.map((issue): Problem => {
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
  });
  throw invalidReport(problems, next);
}

function parse(file: string, text: string, next: readonly NextStep[]): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { offset, expected } = jsonMistake(text) ?? { offset: 0, expected: (error as Error).message };
    const before = text.slice(0, offset).split("\n");
    const message = text.trim() === "" ? "the file is empty" : `not valid JSON: expected ${expected}`;
    throw invalidReport([{ file, line: before.length, column: before.at(-1)!.length + 1, message }], next);
  }
}

function invalidReport(problems: readonly Problem[], next: readonly NextStep[]): PthError {
  const shown = problems.slice(0, mostProblems);
  const lines = shown.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`);
  const left = problems.length - shown.length;
  const more = left > 0 ? [`… and ${left} more`] : [];
  return new PthError("INVALID_INPUT", `Cannot read a report:\n${[...lines, ...more].join("\n")}`, {
    problems: shown,
    next: [...next],
  });
}

const tokens =
  // deno-lint-ignore no-control-regex -- JSON forbids them in strings
  /[\s]*(?:("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|([[\]{},:]))/y;

type Expected = "value" | "value or ]" | "key" | "key or }" | ":" | ", or ]" | ", or }" | "the end";

/** Offset of the first character that cannot stand where it stands, and what could; undefined for JSON. */
export function jsonMistake(text: string): { offset: number; expected: string } | undefined {
  const open: ("[" | "{")[] = [];
  let expected: Expected = "value";
  let end = 0;
  const after = (): Expected => open.length === 0 ? "the end" : open.at(-1) === "[" ? ", or ]" : ", or }";
  for (;;) {
    tokens.lastIndex = end;
    const match = tokens.exec(text);
    if (match === null) break;
    const [, string, scalar, mark] = match;
    const next = step(expected, string !== undefined ? '"' : scalar !== undefined ? "0" : mark!, open, after);
    if (next === undefined) break;
    expected = next;
    end = tokens.lastIndex;
  }
  const offset = end + text.slice(end).search(/\S|$/);
  return expected === "the end" && offset === text.length ? undefined : { offset, expected };
}

function step(
  expected: Expected,
  token: string,
  open: ("[" | "{")[],
  after: () => Expected,
): Expected | undefined {
  if (expected.startsWith("value")) {
    if (token === "]" && expected === "value or ]") return close(open, after);
    if (token === '"' || token === "0") return after();
    if (token !== "[" && token !== "{") return undefined;
    open.push(token);
    return token === "[" ? "value or ]" : "key or }";
  }
  if (expected.startsWith("key")) {
    if (token === "}" && expected === "key or }") return close(open, after);
    return token === '"' ? ":" : undefined;
  }
  if (expected === ":") return token === ":" ? "value" : undefined;
  if (expected === "the end") return undefined;
  if (token === ",") return expected === ", or ]" ? "value" : "key";
  return expected.endsWith(token) ? close(open, after) : undefined;
}

function close(open: ("[" | "{")[], after: () => Expected): Expected {
  open.pop();
  return after();
}
