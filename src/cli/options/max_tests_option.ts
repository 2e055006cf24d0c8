/** Which signals tests are generated from. */
import { didYouMean } from "../../core/did_you_mean.ts";
import type { GenerateOptions } from "../../api/harness.ts";
import { signals } from "../../testing/generator.ts";
import type { Problems } from "./problems.ts";
import { listValue, positiveOption } from "./option_values.ts";

/** How many input tests are generated at most; undefined where the option was not given. */
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
