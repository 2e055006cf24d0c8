/**
 * Decides negative tests whose control call was refused as well.
 *
 * A tool that refuses everything proves nothing. But where it refuses the bad input for what is bad in it, and the control
 * for something else, it did look at the schema. Only a refusal can be decided so, never an acceptance.
 */
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { mentions } from "./explained_by_input.ts";
import { failureKind } from "./failure_kind.ts";
import { misleadingKind } from "./misleading_kind.ts";

/** Note of a negative test that passed although its control call was refused, too. */
export const refusalsDifferNote = "its control call was refused for another reason";

/** Whether the tool refused a call, an error without `isError` included. */
export const wasRefused = (outcome: CallOutcome, input: Record<string, unknown>): boolean =>
  outcome.isError || misleadingKind({ outcome, input }) === "error-told-as-success";

/** Limit in characters of refusals that are compared. */
const longestRefusal = 4_000;

/** Words of validators, which no refusal of a fitting input has. */
const ruleWords =
  /validation (?:error|fail)|(?:fail\w*|does not|doesn't|did not) (?:\w+ )?(?:validat|match|conform)|schema|invalid[_ ](?:type|arguments?|params?|enum|union|string|value|input|format)|\brequired\b|missing (?:required )?(?:argument|param|propert|field|key)|expected (?:an? )?(?:string|number|int\w*|bool\w*|array|object|one of)|must (?:be|have|not|match|contain)\b|additional propert|unrecognized key|unknown (?:argument|param|propert|field|key)|(?:is|are) not (?:allowed|permitted|of type|a valid|one of)|input should be|too (?:small|short|big|long|large)|(?:less|greater|more|fewer) than/i;

/** Whether the refusal of the bad input names the property or the rule that it breaks, and that of the control does not. */
export function refusalsDiffer(
  { input = {}, control }: TestCase,
  bad: CallOutcome,
  good: CallOutcome,
): boolean {
  if (failureKind(bad, input) !== undefined) return false;
  const fitting = control?.input ?? {};
  const [badText, goodText] = [bad, good].map(({ text }) => text.slice(0, longestRefusal)) as [
    string,
    string,
  ];
  if (!ruleWords.test(badText)) return false;
  if (!ruleWords.test(goodText)) return true;
  const broken = [...new Set([...Object.keys(input), ...Object.keys(fitting)])]
    .filter((name) => JSON.stringify(input[name]) !== JSON.stringify(fitting[name]));
  return broken.some((name) => mentions([badText], name) && !mentions([goodText], name));
}
