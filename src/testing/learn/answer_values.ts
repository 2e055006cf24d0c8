/** Values in a tool's answer that another tool may need, each with the way to capture it again. */
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import { bounded, OutOfTime } from "../../platform/bounded.ts";
import { isObject } from "../../core/values.ts";
import { escapePattern, textWords } from "../../core/text.ts";
import { jsonOutput } from "../match/json_output.ts";

export interface AnswerValue {
  value: string | number;
  /** Words of its key: `["task", "id"]`. */
  key: string[];
  /** Words of the keys above it. */
  parents: string[];
  /** JSONPath or `/pattern/`, as a test's `capture` has it. */
  capture: string;
}

/** Limits of what is looked at of one answer. */
const mostValues = 120;
const deepest = 6;
const longestValue = 300;
const longestText = 20_000;
/** Elements of a list that are looked at; those behind them are alike. */
const mostElements = 3;

/** Values of an answer, in their order; JSON by its keys, other text by the words before a value. */
export function answerValues(outcome: CallOutcome): AnswerValue[] {
  const json = jsonOutput(outcome);
  const structured = json !== undefined && typeof json.value === "object"
    ? valuesIn(json.value, "$.output", [], [], 0).slice(0, mostValues)
    : [];
  if (structured.length > 0) return structured;
  try {
    return bounded(() => textValues(outcome.text.slice(0, longestText)));
  } catch (error) {
    // A text made to be slow to read holds nothing that is worth the time.
    if (error instanceof OutOfTime) return [];
    throw error;
  }
}

const plainKey = /^[A-Za-z_]\w*$/;

function valuesIn(
  value: unknown,
  path: string,
  key: string[],
  parents: string[],
  depth: number,
): AnswerValue[] {
  if (typeof value === "string" || typeof value === "number") {
    if (value === "" || String(value).length > longestValue) return [];
    return [{ value, key, parents, capture: path }];
  }
  if (depth >= deepest) return [];
  if (Array.isArray(value)) {
    return value.slice(0, mostElements).flatMap((item, index) =>
      valuesIn(item, `${path}[${index}]`, key, parents, depth + 1)
    );
  }
  if (!isObject(value)) return [];
  return Object.entries(value).slice(0, mostValues).flatMap(([name, item]) => {
    const step = plainKey.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
    const above = key.length === 0 ? parents : [...parents, ...key];
    return valuesIn(item, path + step, textWords(name), above, depth + 1);
  });
}

const word = "[A-Za-z][\\w-]{0,30}";
/** Characters of a value in a sentence; a dot or comma behind it is the sentence's. */
const plainValue = "[\\w-]{1,200}(?:[./:@+][\\w-]{1,200})*";
const pathValue = "\\/[\\w./-]{1,200}";
const quotedValue = "[^\"'`\\n]{1,100}";

/** Without quotes or a colon before it, a word is a value only where it has a digit. */
const digitAhead = "(?=[\\w./:@+-]{0,200}\\d)";

/** First group: the words of the key; second: the value. */
const textForms: readonly RegExp[] = [
  // Task ID: abc-1, id=7, "id": "x", path: /tmp/x
  new RegExp(
    `\\b(${word}(?: ${word}){0,2})["'\`*]{0,3} ?[:=] {0,2}["'\`*#]{0,3}(${plainValue}|${pathValue})`,
    "gd",
  ),
  // Created project "alpha"
  new RegExp(`\\b(${word}) ["'\`](${quotedValue})["'\`]`, "gd"),
  // Created note 5, with id abc1, session #12
  new RegExp(`\\b(${word}(?: (?:ID|id))?) [#(]?${digitAhead}(${plainValue})`, "gd"),
  // [abc1] Buy milk, #7
  new RegExp(`()[[#]${digitAhead}(${plainValue})`, "gd"),
];

function textValues(text: string): AnswerValue[] {
  const found: AnswerValue[] = [];
  const seen = new Set<string>();
  for (const sign of textForms) {
    for (const match of text.matchAll(sign)) {
      const [, words = "", value = ""] = match;
      if (found.length >= mostValues) return found;
      if (seen.has(value)) continue;
      const lead = text.slice(match.index, match.indices![2]![0]);
      const pattern = `${escapePattern(lead)}(${groupFor(value, lead)})`;
      // Another place earlier in the text would be captured in its place.
      if (new RegExp(pattern).exec(text)?.[1] !== value) continue;
      seen.add(value);
      const key = textWords(words);
      const whole = { key, parents: key.slice(0, -1) };
      found.push({ ...whole, value, capture: `/${pattern}/` });
      if (/^\d{1,15}$/.test(value)) {
        found.push({ ...whole, value: Number(value), capture: `/${pattern}/number` });
      }
    }
  }
  return found;
}

/** The narrowest form that fits the value. */
function groupFor(value: string, lead: string): string {
  const quote = /["'`]$/.exec(lead)?.[0];
  if (quote !== undefined) return `[^${quote}]+`;
  if (/^\d+$/.test(value)) return "\\d+";
  if (/^[\w-]+$/.test(value)) return "[\\w-]+";
  return value.startsWith("/") ? "/[\\w./-]+" : "[\\w-]+(?:[./:@+][\\w-]+)*";
}
