/**
 * Answers that mislead their reader: an error without `isError`, a success with it, and a text that shows `undefined`
 * where a value belongs.
 *
 * They are read from text, so they are findings and fail nothing. A false alarm costs more than a miss: what counts is a
 * short answer that is nothing else, never a document that mentions such words, and never what the input brought.
 */
import type { CallOutcome, ToolDefinition } from "../../../machines/model/plugin.ts";
import type { Finding } from "../../../machines/model/verdict.ts";
import { isObject } from "../../core/values.ts";
import { plainLine, textExcerpt } from "../../core/text.ts";
import { explainedByInput, textsOf } from "./explained_by_input.ts";
import { failureKind, showsInternalError } from "./failure_kind.ts";

const kinds = {
  "error-told-as-success":
    "answers with an error message, but without isError: a client takes it for a result",
  "success-told-as-error": "answers with isError, but its text tells of a success",
  "value-missing-in-answer": "shows a placeholder of its language where a value belongs",
} as const;

export type MisleadingKind = keyof typeof kinds;

/** Codes of findings of which each tool has one, with one example. */
export const misleadingKinds: readonly string[] = Object.keys(kinds);

interface AnsweredCall {
  outcome: CallOutcome;
  input: Record<string, unknown>;
  definition?: ToolDefinition;
}

/** Longest text, in characters, that is a message and no document. */
const longestMessage = 600;

/** Kind of the misleading answer; undefined if it is none. */
export function misleadingKind(call: AnsweredCall): MisleadingKind | undefined {
  const kind = kindOfText(call);
  return kind === undefined && showsPlaceholder(call) ? "value-missing-in-answer" : kind;
}

/** Most of a structured answer, in characters, that is read. */
const longestStructured = 2_000;

/** Whether a success has a placeholder among the values that programs read. */
function showsPlaceholder({ outcome, input, definition }: AnsweredCall): boolean {
  const { isError, structuredContent } = outcome;
  if (isError || structuredContent === undefined) return false;
  if (JSON.stringify(structuredContent).length > longestStructured) return false;
  const known = JSON.stringify([input, definition ?? {}]).toLowerCase();
  return placeholdersOfValue(structuredContent).some((each) => !known.includes(each.toLowerCase()));
}

function kindOfText({ outcome, input, definition }: AnsweredCall): MisleadingKind | undefined {
  const text = outcome.text.trim();
  if (text === "" || text.length > longestMessage || hasOtherParts(outcome)) return undefined;
  const given = textsOf(input);
  if (outcome.isError) {
    return outcome.kind === "result" && tellsSuccess(text) && !brought(given, text)
      ? "success-told-as-error"
      : undefined;
  }
  if (tellsError(text) && !brought(given, text) && !isCallersError(outcome, input, given)) {
    return "error-told-as-success";
  }
  const known = JSON.stringify([input, definition ?? {}]).toLowerCase();
  const isUnknown = (placeholder: string) => !known.includes(placeholder.toLowerCase());
  return placeholdersIn(text).some(isUnknown) ? "value-missing-in-answer" : undefined;
}

/** Finding with the call as its example. */
export const misleadingFinding = (
  kind: MisleadingKind,
  tool: string,
  { outcome, input }: AnsweredCall,
): Finding => ({
  severity: "warning",
  code: kind,
  tool,
  message: `${tool} ${kinds[kind]}: ${textExcerpt(plainLine(shownOf(kind, outcome)))}, called with ${
    textExcerpt(input)
  }`,
});

/** The text; where it shows no placeholder, the structured answer that has it. */
const shownOf = (kind: MisleadingKind, { text, structuredContent }: CallOutcome): string =>
  kind === "value-missing-in-answer" && structuredContent !== undefined &&
    (text.length > longestMessage || placeholdersIn(text).length === 0)
    ? JSON.stringify(structuredContent)
    : text;

/** Whether the error is one of code or text that the input brought, and that the tool ran or read. */
const isCallersError = (outcome: CallOutcome, input: Record<string, unknown>, given: readonly string[]) =>
  explainedByInput(outcome.text, given) ||
  (showsInternalError(outcome.text) && failureKind(outcome, input) === undefined);

/** Pictures, resources and links are an answer of their own. */
const hasOtherParts = ({ content = [] }: CallOutcome): boolean =>
  content.some((part) => !isObject(part) || part.type !== "text");

/** Whether the input brought the text, or asked for an error: `{"level": "error"}`. */
const brought = (given: readonly string[], text: string): boolean =>
  given.some((each) => /error|exception|fail|success/i.test(each)) ||
  given.some((each) => each.length >= 3 && text.startsWith(each)) ||
  given.some((each) => each.length >= 12 && text.includes(each) && each.length * 2 > text.length);

/** Signs before the first word: emoji, quotes, Markdown. */
const decoration = /^[^\p{L}\p{N}[{]+/u;

/** Beginnings of a message that tells of nothing but an error. */
const errorStart =
  /^(?:(?:(?:an?|internal|unexpected|unknown|validation|fatal|server|tool|execution) ){0,3}error(?: (?!handling|reporting|logging|tracking|monitoring|checking|correction)(?:\w+ing|in|while|when|from|during|at|for|executing|occurred)\b[^:\n]{0,80})?: ?\S|[A-Z]\w*(?:Error|Exception)(?: \[\w+\])?: \S|(?:failed|unable) to \w+|(?:could not|cannot|can't|couldn't) (?:find|read|open|load|parse|connect|access|create|write|delete|fetch|process|execute|get|resolve|determine|convert|search|list|retrieve|update|delete|save|check)\b)/i;

/** Lines beyond the first that a message of an error may have: frames, hints. */
const mostLines = 4;

function tellsError(text: string): boolean {
  const json = jsonObject(text);
  if (json !== undefined) return isErrorObject(json);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const message = lines.filter((line) => !/^\s+at /.test(line));
  return message.length <= mostLines && errorStart.test(text.replace(decoration, ""));
}

/** Keys of an object that is nothing but an error; any other makes it a report of its own. */
const errorKeys = /^(?:error|message|success|ok|status|code|details?|hint|suggestion|timestamp|type|name)$/i;

const isErrorObject = (json: Record<string, unknown>): boolean =>
  Object.keys(json).every((key) => errorKeys.test(key)) &&
  (isMessage(json.error) || (isObject(json.error) && isMessage(json.error.message)) ||
    ((json.success === false || json.ok === false || json.status === "error") && isMessage(json.message)));

const isMessage = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";

const successStart = /^(?:success(?:ful(?:ly)?)?\b|succeeded\b|done\b|ok\b|completed? successfully\b)/i;
const successWords = /\b(?:\w+ed|was|were|been|has|have) successfully\b/i;
const negative =
  /\b(?:fail\w*|error\w*|not|un(?:able|successful\w*)|\w+n't|cannot|denied|invalid|missing|without|but|only|no|none|zero|exit code|instead|warning|expected|must)\b/i;

function tellsSuccess(text: string): boolean {
  const json = jsonObject(text);
  if (json !== undefined) {
    return (json.success === true || json.ok === true) && !("error" in json) && !negative.test(text);
  }
  const words = text.replace(decoration, "");
  return (successStart.test(words) || successWords.test(words)) && !negative.test(words);
}

function jsonObject(text: string): Record<string, unknown> | undefined {
  const value = text.startsWith("{") ? parsed(text) : undefined;
  return isObject(value) ? value : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // text that looks like JSON is text
  }
}

/** Most lines of an answer whose every line is a message to its reader. */
const mostAnswerLines = 12;

/** Placeholders that stand for values; in JSON only within its texts, since `null` is a value there. */
function placeholdersIn(text: string): string[] {
  if (/^[[{]/.test(text)) return placeholdersOfJson(text);
  const lines = text.split("\n");
  if (lines.length > mostAnswerLines || /\x60{3}|=>|;\s*$|<\/?\w+[^>]*>/m.test(text)) return [];
  return lines.flatMap(placeholdersOfLine);
}

/** `NaN` is no JSON, and a text that is exactly a placeholder was a value once. */
function placeholdersOfJson(text: string): string[] {
  const value = parsed(text);
  if (value !== undefined) return placeholdersOfValue(value);
  const repaired = parsed(text.replace(/(?<=[:,[]\s*)-?NaN(?=\s*[,\]}])/g, "null"));
  return repaired === undefined ? [] : ["NaN", ...placeholdersOfValue(repaired)];
}

/** Names of properties whose value is about values. */
const aboutValues = /default|type|value|expected|example/i;

function placeholdersOfValue(value: unknown, name = ""): string[] {
  if (typeof value === "string") {
    if (value.includes("[object Object]")) return ["[object Object]"];
    return !aboutValues.test(name) && /^(?:NaN|undefined)$/.test(value) ? [value] : [];
  }
  if (Array.isArray(value)) return value.flatMap((each) => placeholdersOfValue(each, name));
  return isObject(value)
    ? Object.entries(value).flatMap(([key, each]) => placeholdersOfValue(each, key))
    : [];
}

/** Words after which `undefined` or `null` is what the sentence is about. */
const aboutIt =
  /(?:^|[\s(])(?:is|are|be|was|were|not|to|as|or|and|if|an?|the|than|from|(?:instead|types?|values?|propert(?:y|ies)|lists?|arrays?) of|with|set|return(?:s|ed)?|value|values|equals|only|non|got|received|found|given|typeof|type|default|property|properties|read(?:ing)?) $|\| ?$/i;

function placeholdersOfLine(line: string): string[] {
  if (line.includes("[object Object]")) return ["[object Object]"];
  const places = [...line.matchAll(/(?<![\w$.'"\x60<|/-])(NaN|undefined|null)(?![\w$'"\x60>|/(=-]|\.\w)/g)];
  return places.flatMap(({ 1: word = "", index }) => {
    const before = line.slice(0, index);
    const after = line.slice(index + word.length);
    if (
      aboutIt.test(before) || /^ (?:behaviou?r|values?|variables?|references?|is|are|or|and)\b/i.test(after)
    ) {
      return [];
    }
    const afterLabel = /[:=] ?$/.test(before) || before.trim() === "";
    // After a label `null` is often what a record holds; within a sentence it never is.
    if (word === "null" && (afterLabel || !/^[!.,]|^ ?(?:%|°|ms\b|px\b|km\b|kg\b)|^$/.test(after))) return [];
    return [word];
  });
}
