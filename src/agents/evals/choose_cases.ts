/** Cases of evals that are asked for. */
import type { EvalCase } from "../../../machines/model/eval_case.ts";
import type { EvalFilter } from "../../../machines/model/eval_request.ts";
import { fitsGlob } from "../../../machines/playbook/fits_glob.ts";
import { PthError } from "../../core/errors.ts";
import { textExcerpt } from "../../core/text.ts";

/** Names that an empty choice shows. */
const namesTold = 20;

/** @throws {PthError} `NO_TESTS_MATCH` where none fits, `INVALID_INPUT` for a `grep` that is no regular expression */
export function chooseCases(cases: readonly EvalCase[], filter: EvalFilter): EvalCase[] {
  const { case: glob, tag, grep } = filter;
  const pattern = grep === undefined ? undefined : patternOf(grep);
  const chosen = cases.filter(({ name, tags }) =>
    (glob === undefined || fitsGlob(glob, name)) && (tag === undefined || tags.includes(tag)) &&
    (pattern === undefined || pattern.test(name))
  );
  if (chosen.length > 0) return chosen;
  const asked = Object.entries(filter).map(([key, value]) => `${key} ${textExcerpt(value, 100)}`).join(", ");
  const names = cases.slice(0, namesTold).map(({ name }) => name);
  const tags = [...new Set(cases.flatMap(({ tags }) => tags))].sort();
  throw new PthError("NO_TESTS_MATCH", `Cannot run evals: no case has ${asked}`, {
    next: [
      `There are: ${names.join(", ")}${cases.length > namesTold ? " …" : ""}`,
      ...(tag === undefined || tags.length === 0 ? [] : [`Tags that exist: ${tags.join(", ")}`]),
    ],
  });
}

function patternOf(grep: string): RegExp {
  try {
    return new RegExp(grep);
  } catch (cause) {
    throw new PthError("INVALID_INPUT", `Cannot choose evals: ${(cause as Error).message}`, {}, { cause });
  }
}
