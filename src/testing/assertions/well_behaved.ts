/**
 * `well_behaved`: what every honest server does with an input that its schema allows, whatever the tool means.
 *
 * About half of such inputs are refused by honest servers, for rules that a schema does not tell; a refusal therefore
 * decides nothing and the test is skipped with the server's own words. So is an error that is told as a success.
 */
import * as z from "zod";
import { defineAssertion, passed } from "../assertion.ts";
import { oneLine, textExcerpt } from "../../core/text.ts";
import { refusalNote } from "../exercise/unmet_need.ts";
import { failureKind } from "../judge/failure_kind.ts";
import { misleadingFinding, misleadingKind } from "../judge/misleading_kind.ts";

export default defineAssertion({
  key: "well_behaved",
  subject: "response",
  schema: z.literal(true),
  summary: "Generated tests: no leaked internal error; a refusal skips the test, with what it needs",
  exclusive: true,
  check(expected, { tool, ...call }) {
    const { outcome, input } = call;
    const category = failureKind(outcome, input);
    if (category !== undefined) {
      return {
        pass: false,
        expected: "an answer or an error that the tool foresaw",
        actual: outcome.text,
        category,
        message: () =>
          `answered with an error that its code did not foresee: ${textExcerpt(outcome.text, 2000)}`,
      };
    }
    const misleading = misleadingKind(call);
    const findings = misleading === undefined ? [] : [misleadingFinding(misleading, tool, call)];
    const refused = outcome.isError || misleading === "error-told-as-success";
    return {
      ...passed(expected, !refused),
      findings,
      ...(refused ? { skip: refusalNote(oneLine(outcome.text)) } : {}),
    };
  },
});
