/**
 * An input that the schema forbids, accepted: once for each tool. Many honest servers are lenient, so it is a finding, and
 * only for what leaves no doubt: a required property is missing, null or of another type, a value is outside its enum.
 */
import { textExcerpt } from "../../../core/text.ts";
import { type SchemaViolation, violationWords } from "../../assertions/refuses.ts";
import { misleadingKind } from "../../judge/misleading_kind.ts";
import { defineOracle } from "../oracle.ts";

const told: ReadonlySet<SchemaViolation> = new Set(
  [
    "missing_required",
    "wrong_type",
    "null_required",
    "enum",
  ] as const,
);

/** A short answer in these words refuses, whatever its `isError` says. */
const refusing =
  /\b(?:required|missing|invalid|must|expected|provide|specify|unknown|unsupported|not (?:an? )?(?:valid|supported|allowed|found|recogni[sz]ed|available)|no such|fail(?:ed|s)?|error|cannot|could not|unable)\b/i;
const longestRefusal = 600;

export default defineOracle({
  name: "schema_not_enforced",
  summary:
    "an accepted input in which a required property is missing, null or of another type, or a value is outside its enum",
  severity: "finding",
  judge(call) {
    const { outcome, violation, input, tool } = call;
    if (outcome === undefined || violation === undefined || outcome.isError || !told.has(violation)) {
      return undefined;
    }
    const text = outcome.text.slice(0, longestRefusal + 1);
    if (text.length <= longestRefusal && refusing.test(text)) return undefined;
    if (misleadingKind({ outcome, input, definition: tool }) === "error-told-as-success") return undefined;
    return {
      signature: "accepted",
      message: `${tool.name} accepted ${textExcerpt(input, 200)} although ${
        violationWords(violation)
      }; answer: ${textExcerpt(outcome.text, 200)}`,
    };
  },
});
