/** Values that a step takes out of its answer for later steps. */
import { JSONPathError } from "json-p3";
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import { PthError } from "../../core/errors.ts";
import { textExcerpt } from "../../core/text.ts";
import { jsonOutput } from "../match/json_output.ts";
import { valuesAt } from "../match/values_at.ts";

/** What a JSONPath sees of an answer: `$.output.id`, `$.content[0].text`, `$.isError` … */
export interface CaptureSubject {
  /** `structuredContent`, else the text read as JSON, else the text. */
  output: unknown;
  text: string;
  content: unknown[];
  structuredContent: unknown;
  isError: boolean;
}

export interface Captured {
  /** By variable; those that were not found are missing. */
  values: Record<string, unknown>;
  /** One text for each variable that could not be taken: the path, and what was there. */
  problems: string[];
}

export function captureSubject(outcome: CallOutcome): CaptureSubject {
  const { text, isError, structuredContent } = outcome;
  const output = jsonOutput(outcome);
  return {
    output: output === undefined ? text : output.value,
    text,
    content: outcome.content ?? [],
    structuredContent: structuredContent ?? null,
    isError,
  };
}

/**
 * Takes variables out of an answer by JSONPath (RFC 9535): one match gives its value, several give a list, none is a
 * problem.
 * @param capture Variable name to path; paths were checked when the test was read.
 */
export function captureFrom(outcome: CallOutcome, capture: Record<string, string>): Captured {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  const entries = Object.entries(capture);
  if (entries.length === 0) return { values, problems };
  const subject = captureSubject(outcome);
  for (const [name, path] of entries) {
    const found = lookUp(path, subject);
    if (typeof found === "string") problems.push(`${name}: ${found}`);
    else if (found.length === 0) problems.push(`${name}: nothing at ${path}\n  ${shown(subject)}`);
    else values[name] = found.length === 1 ? found[0] : found;
  }
  return { values, problems };
}

/** The matches, or why there can be none. */
function lookUp(path: string, subject: CaptureSubject): unknown[] | string {
  try {
    return valuesAt(path, subject);
  } catch (error) {
    // A hostile answer may be too deep, or made for the path's own pattern: a failure of this test alone.
    if (error instanceof JSONPathError || error instanceof PthError) return `${path}: ${error.message}`;
    throw error;
  }
}

const shown = ({ output, structuredContent, text }: CaptureSubject): string =>
  output === text
    ? `output is text: ${textExcerpt(text, 1000)}`
    : `output${structuredContent === null ? " (text read as JSON)" : ""}: ${textExcerpt(output, 1000)}`;
