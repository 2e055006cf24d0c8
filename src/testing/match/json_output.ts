/** A tool's answer as JSON, and the two assertions on it. */
import { z } from "zod";
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import type { AssertionResult, ResponseSubject } from "../assertion.ts";
import { textExcerpt } from "../../core/text.ts";
import { jsonDifferences } from "./json_difference.ts";

/** Any JSON value. */
export const jsonSchema = z.unknown();

/** `structuredContent` where there is one, else the text read as JSON; undefined when it is no JSON. */
export function jsonOutput({ structuredContent, text }: CallOutcome): { value: unknown } | undefined {
  if (structuredContent !== undefined) return { value: structuredContent };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // That the text is no JSON is the answer; the assertion says so.
    return undefined;
  }
}

/** Compares the answer with what is expected; `partial` allows more keys and elements. */
export function compareJson(expected: unknown, observed: ResponseSubject, partial: boolean): AssertionResult {
  const output = jsonOutput(observed.outcome);
  if (output === undefined) {
    return {
      pass: false,
      expected,
      actual: observed.outcome.text,
      message: () => `output is not JSON\n  actual: ${textExcerpt(observed.outcome.text, 1000)}`,
    };
  }
  const differences = jsonDifferences(expected, output.value, partial);
  return {
    pass: differences.length === 0,
    expected,
    actual: output.value,
    message: () => jsonMessage(differences, output.value),
  };
}

function jsonMessage(differences: string[], actual: unknown): string {
  const [first, ...others] = differences;
  const more = others.slice(0, 9).map((line) => `  ${line}`);
  if (others.length > 9) more.push(`  … ${others.length - 9} more differences`);
  return [`output differs at ${first}`, ...more, `  actual: ${textExcerpt(actual, 1000)}`].join("\n");
}
