/**
 * `refuses`: the tool's schema forbids the input, so the tool should refuse it.
 *
 * Any error is a refusal. Acceptance is a finding, since many honest servers are lenient; `--strict` makes it a failure.
 * An error that is told as a success is no acceptance, but a finding of its own.
 */
import * as z from "zod";
import { defineAssertion, passed } from "../assertion.ts";
import { textExcerpt } from "../../core/text.ts";
import { failureKind } from "../judge/failure_kind.ts";
import { misleadingFinding, misleadingKind } from "../judge/misleading_kind.ts";
import { acceptanceFinding, acceptanceNote } from "../run/acceptance_finding.ts";
import type { Finding } from "../../../machines/model/verdict.ts";

/** Ways to break a schema, and how grave it is when a server accepts such an input. */
const breaches = {
  missing_required: { words: "a required property is missing", severity: "warning" },
  wrong_type: { words: "a required property has the wrong type", severity: "warning" },
  null_required: { words: "a required property is null", severity: "warning" },
  enum: { words: "a value is outside its enum", severity: "info" },
  range: { words: "a value is outside its limits", severity: "info" },
  pattern: { words: "a text breaks its pattern or format", severity: "info" },
  optional_type: { words: "an optional property has the wrong type", severity: "info" },
  extra_property: { words: "a property is given that the schema forbids", severity: "info" },
} as const satisfies Record<string, { words: string; severity: Finding["severity"] }>;

export type SchemaViolation = keyof typeof breaches;

/** Words for the way in which an input breaks the schema. */
export const violationWords = (violation: SchemaViolation): string => breaches[violation].words;

const names = Object.keys(breaches) as SchemaViolation[];

export default defineAssertion({
  key: "refuses",
  subject: "response",
  schema: z.enum(names),
  summary:
    "Generated tests: an input that the schema forbids is refused, else a `schema-not-enforced` finding",
  exclusive: true,
  check(expected, { tool, strict, ...call }) {
    const { input, outcome } = call;
    if (outcome.isError) {
      return { ...passed("refusal", "refusal"), findings: leakFindings(tool, failureKind(outcome, input)) };
    }
    if (!strict && misleadingKind(call) === "error-told-as-success") {
      const findings = [misleadingFinding("error-told-as-success", tool, call)];
      return { ...passed("refusal", "refusal"), findings, note: "refused, but told as a success" };
    }
    const { words, severity } = breaches[expected];
    const message = `${tool} accepted ${textExcerpt(input)} although ${words}`;
    return {
      pass: !strict,
      expected: "refusal",
      actual: outcome.text,
      category: "schema-violation",
      message: () =>
        `accepted an input that its schema forbids: ${words}\n  actual: ${textExcerpt(outcome.text)}`,
      note: acceptanceNote(words),
      findings: strict ? [] : [{ severity, code: acceptanceFinding, tool, message }],
    };
  },
});

/** An unforeseen error refuses the input, too, but does not help the caller; worth a hint. */
function leakFindings(tool: string, leak: string | undefined): Finding[] {
  if (leak === undefined) return [];
  const message = `${tool} refuses invalid input by an internal error instead of a message about the input`;
  return [{ severity: "info", code: "internal-error-on-invalid-input", tool, message }];
}
