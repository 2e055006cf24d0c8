/** Single option values, checked. Each answers undefined and adds a problem where the text is not what it should be. */
import { didYouMean } from "../../core/did_you_mean.ts";
import type { Problems } from "./problems.ts";
import { errorMessage } from "../../core/errors.ts";
import { statelyAddress } from "../../visualizer/live/stately.ts";
import type { GenerateOptions } from "../../api/harness.ts";
import { signals } from "../../testing/generator.ts";

/** Reads a number above 0. */
export function positiveOption(
  option: string,
  text: unknown,
  problems: Problems,
  kind: "number" | "whole number",
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (String(text).trim() !== "" && value > 0 && Number.isFinite(value)) {
    if (kind === "number" || Number.isSafeInteger(value)) return value;
  }
  problems.add(`${option} expects a ${kind} above 0, not "${text}"`);
  return undefined;
}

/** Reads one of the words; a problem suggests the nearest one. */
export function choiceOption<Word extends string>(
  option: string,
  text: unknown,
  words: readonly Word[],
  problems: Problems,
): Word | undefined {
  if (text === undefined) return undefined;
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  const near = String(text).length > 1 ? didYouMean(String(text), words) : undefined;
  const hint = near === undefined ? "" : ` (did you mean "${near}"?)`;
  problems.add(`${option} expects one of ${words.join(", ")}, not "${text}"${hint}`);
  return undefined;
}

const units: Record<string, number> = { "": 1, m: 1, mb: 1, mib: 1, g: 1024, gb: 1024, gib: 1024 };

/** `512`, `512m`, `2g` as mebibytes. */
export function megabytes(option: string, text: unknown, problems: Problems): number | undefined {
  if (text === undefined) return undefined;
  const [, digits, unit] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(String(text)) ?? [];
  const factor = units[unit?.toLowerCase() ?? "-"];
  if (digits !== undefined && factor !== undefined && Number(digits) > 0) {
    return Math.round(Number(digits) * factor);
  }
  problems.add(`${option} expects megabytes, e.g. 512, 512m or 2g, not "${text}"`);
  return undefined;
}

/** `10` or `10g` as gibibytes, fractions allowed. */
export function gigabytes(option: string, text: unknown, problems: Problems): number | undefined {
  if (text === undefined) return undefined;
  const [, digits, unit] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(String(text)) ?? [];
  const factor = unit === "" ? 1 : (units[unit?.toLowerCase() ?? "-"] ?? NaN) / 1024;
  const value = Number(digits) * factor;
  if (value > 0) return value;
  problems.add(`${option} expects gigabytes, e.g. 10, 10g or 500m, not "${text}"`);
  return undefined;
}

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `NAME=value` pairs; a value may be empty and may hold more "=". */
export function variablesOption(
  option: string,
  pairs: readonly string[],
  problems: Problems,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    const name = at < 0 ? pair : pair.slice(0, at);
    if (at < 0) problems.add(`${option} expects NAME=value, not "${pair}"`);
    else if (checkVariableName(option, name, problems)) found[name] = pair.slice(at + 1);
  }
  return found;
}

export function checkVariableName(option: string, name: string, problems: Problems): boolean {
  if (variableName.test(name)) return true;
  problems.add(`${option} expects a name of letters, digits and "_", not "${name}"`);
  return false;
}

/** Values of a repeatable option. */
export const listValue = (value: unknown): string[] => (value === undefined ? [] : value as string[]);

/** An option's text, or undefined. */
export const textValue = (value: unknown): string | undefined =>
  value === undefined ? undefined : String(value);

/** Gathers the values of an option that may be given several times. */
export const collectValues = (
  value: string,
  previous: string[] | undefined,
): string[] => [...(previous ?? []), value];

export function readStately(value: unknown, problems: Problems): string | undefined {
  const address = textValue(value);
  try {
    return address === undefined ? undefined : statelyAddress(address);
  } catch (error) {
    problems.add(`--stately: ${errorMessage(error)}`);
    return undefined;
  }
}

/** Maximum of generated input tests; undefined if the option is absent. */
export const readMaxTests = (value: unknown, problems: Problems): number | undefined =>
  positiveOption("--max-tests", value, problems, "whole number");

/** Signals by name, `all` for all of them; undefined where the option was not given. */
export function readSignals(
  option: string,
  value: unknown,
  problems: Problems,
): GenerateOptions["from"] | undefined {
  if (value === undefined) return undefined;
  const asked = listValue(value);
  for (const word of asked) {
    if (word === "all" || signals.some((signal) => signal === word)) continue;
    const near = didYouMean(word, [...signals, "all"]);
    const hint = near === undefined ? "" : ` (did you mean "${near}"?)`;
    problems.add(`${option} expects one of ${[...signals, "all"].join(", ")}, not "${word}"${hint}`);
  }
  return asked.includes("all") ? [...signals] : signals.filter((signal) => asked.includes(signal));
}
