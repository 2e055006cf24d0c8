/** Keys that several expectations have in `expected`, and what they come to. */
import * as z from "zod";
import type { TraceEntry } from "../../machines/model/agent_session.ts";
import { fitsGlob } from "../../machines/playbook/fits_glob.ts";
import { validatorFor } from "../client/schema_problems.ts";
import { count as counted, oneLine, textExcerpt } from "../core/text.ts";
import { isObject } from "../core/values.ts";
import { bounded, OutOfTime } from "../platform/bounded.ts";
import { boundedMatch } from "../testing/match/bounded_match.ts";
import { patternSchema } from "../testing/match/text_matches.ts";
import { jsonDifferences } from "../testing/match/json_output.ts";
import { pathProblem, valuesAt } from "../testing/match/values_at.ts";

export const textSchema = z.string().min(1);
export const globSchema = textSchema.describe("Glob: `*` is any text, `?` one character.");

/** Flags that do not make a match depend on the one before. */
const flagsSchema = z.string().regex(
  /^[imsu]*$/,
  "expected flags of a regular expression out of i, m, s and u",
);

/** Pattern with its flags, as keys of `expected`. */
export const patternKeys = {
  pattern: patternSchema.optional().describe("JavaScript regular expression that matches anywhere."),
  flags: flagsSchema.optional().describe("Flags of `pattern`: i, m, s, u."),
};

export const requiredPatternKeys = {
  pattern: patternSchema.describe("JavaScript regular expression that matches anywhere."),
  flags: flagsSchema.optional().describe("Flags of `pattern`: i, m, s, u."),
};

export const textPatternSchema = patternSchema;

export const jsonPathSchema = textSchema.superRefine((path, context) => {
  const problem = pathProblem(path);
  if (problem !== undefined) context.addIssue({ code: "custom", message: `expected a JSONPath: ${problem}` });
});

export const jsonSchemaSchema = z.record(z.string(), z.unknown()).superRefine((schema, context) => {
  if (validatorFor(schema) !== undefined) return;
  context.addIssue({ code: "custom", message: "expected a JSON Schema, this does not compile" });
});

export const valuesByPathSchema = z.record(jsonPathSchema, z.unknown());

const number = z.number().int().min(0);

export const rangeSchema = z.union([
  number,
  z.strictObject({ min: number.optional(), max: number.optional() }),
], { error: "expected a whole number, or a map of min and max" });

export type Range = z.infer<typeof rangeSchema>;

/** Limits of a range; without an upper one it is endless. */
export const rangeLimits = (range: Range | undefined, fallback: { min: number; max: number }) =>
  range === undefined
    ? fallback
    : typeof range === "number"
    ? { min: range, max: range }
    : { min: range.min ?? 0, max: range.max ?? Infinity };

/** `5`, `2 to 5`, `at most 5`. */
export function rangeText(range: Range): string {
  const { min, max } = rangeLimits(range, { min: 0, max: Infinity });
  if (min === max) return `${min}`;
  return max === Infinity ? `at least ${min}` : min === 0 ? `at most ${max}` : `${min} to ${max}`;
}

/** `at least once`, `never`, `2 times`, `1 to 3 times`. */
export function timesText({ min, max }: { min: number; max: number }): string {
  if (max === 0) return "never";
  if (min === max) return min === 1 ? "once" : counted(min, "time");
  if (max === Infinity) return min <= 1 ? "at least once" : `at least ${counted(min, "time")}`;
  return min === 0 ? `at most ${counted(max, "time")}` : `${min} to ${counted(max, "time")}`;
}

export const shownPattern = (pattern: string, flags = ""): string => `/${pattern}/${flags}`;

/** Reason why a text does not match, or undefined where it does. */
export function patternMiss(
  subject: string,
  text: string | undefined,
  pattern: string | undefined,
  flags = "",
): string | undefined {
  if (pattern === undefined) return undefined;
  if (text === undefined) return `${subject} is missing`;
  const matched = boundedMatch(pattern, flags, text);
  if (matched === true) return undefined;
  const shown = shownPattern(pattern, flags);
  if (matched === "runs away") return `${shown} runs away on ${subject}`;
  return `${subject} does not match ${shown}: ${textExcerpt(text, 200)}`;
}

/** A text as a shell's `$(…)` has it, so that `$` in a pattern is its end. */
export const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, "");

/** Reason why a name does not fit a glob, or undefined where it does. */
export const globMiss = (subject: string, name: string, glob: string | undefined): string | undefined =>
  glob === undefined || fitsGlob(glob, name) ? undefined : `${subject} is ${name}, not ${glob}`;

/** Reasons why values at paths are not as expected; undefined for those that are. */
export const valueMisses = (
  subject: string,
  wanted: Readonly<Record<string, unknown>> | undefined,
  given: unknown,
): (string | undefined)[] =>
  Object.entries(wanted ?? {}).map(([path, value]) => {
    const [found] = valuesAt(path, given);
    if (found === undefined) return `${subject} has nothing at ${path}`;
    const [difference] = jsonDifferences(value, found, true, path);
    return difference === undefined ? undefined : `${subject} differs at ${difference}`;
  });

/** Reason why a value does not fit a JSON Schema, or undefined where it does. */
export function schemaMiss(
  subject: string,
  name: string,
  schema: Record<string, unknown> | undefined,
  given: unknown,
): string | undefined {
  if (schema === undefined) return undefined;
  const [breach] = validatorFor(schema)?.(given) ?? ["/ cannot be checked: the schema does not compile"];
  return breach === undefined ? undefined : `${subject} does not fit ${name}: ${breach}`;
}

/** Input of a call as a pattern sees it: the command line of a shell, else compact JSON. */
export const callInputText = ({ input }: Pick<Extract<TraceEntry, { type: "tool_call" }>, "input">): string =>
  isObject(input) && typeof input.command === "string" ? input.command : JSON.stringify(input) ?? "";

/** Characters around a match. */
const around = 60;

/** A match with what stands around it. */
export function matchIn(
  text: string,
  pattern: string,
  flags = "",
): { matched_text: string; context: string } {
  try {
    const match = bounded(() => new RegExp(pattern, flags).exec(text));
    const [matched = ""] = match ?? [];
    const begin = match?.index ?? 0;
    const context = text.slice(Math.max(0, begin - around), begin + matched.length + around);
    return { matched_text: oneLine(matched, 300), context: oneLine(context, 600) };
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    return { matched_text: "", context: oneLine(text, 300) };
  }
}
