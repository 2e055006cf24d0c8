/** A result that breaks what the tool itself declares. */
import { textExcerpt } from "../../../core/text.ts";
import { defineOracle } from "../oracle.ts";

export default defineOracle({
  name: "output_schema",
  summary: "a result that breaks the tool's own outputSchema",
  severity: "failure",
  judge({ outcome, tool }) {
    const breaches = (outcome?.violations ?? []).filter(({ kind }) => kind === "output_schema");
    if (breaches.length === 0) return undefined;
    const messages = breaches.map(({ message }) => message);
    return {
      // The place is part of it: "/length must be integer".
      signature: messages.map((message) => message.replace(/\/\d+/g, "/#")).toSorted().join("; ").slice(
        0,
        200,
      ),
      message: `${tool.name}: ${messages.join("; ")}\n  answer: ${textExcerpt(outcome?.raw, 500)}`,
      category: "schema-violation",
    };
  },
});
