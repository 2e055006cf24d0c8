/**
 * Two answers to one input of a tool that says readOnlyHint or idempotentHint. Clocks, counters and new ids are honest
 * reasons, so it is a finding; times and ids that look like such are not even compared.
 */
import type { CallOutcome } from "../../../../machines/model/plugin.ts";
import { textExcerpt } from "../../../core/text.ts";
import { defineOracle } from "../oracle.ts";

export default defineOracle({
  name: "non_determinism",
  summary: "two different answers to one input of a tool that declares itself read-only or idempotent",
  severity: "finding",
  judge({ outcome, again, tool }) {
    if (outcome === undefined || again === undefined) return undefined;
    const [first, second] = [steady(outcome), steady(again)];
    if (first === second) return undefined;
    return {
      signature: outcome.isError === again.isError ? "another answer" : "an error one time, none the other",
      message: `${tool.name} answered the same input differently: first ${
        textExcerpt(outcome.text, 200)
      }, then ${textExcerpt(again.text, 200)}`,
    };
  },
});

/** Answer without times and ids. */
const steady = ({ text, isError, structuredContent }: CallOutcome): string =>
  JSON.stringify([isError, text, structuredContent])
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g, "TIME")
    .replace(/\d\d:\d\d:\d\d(?:\.\d+)?/g, "TIME")
    .replace(/\b1\d{9}(?:\d{3})?(?:\.\d+)?\b/g, "TIME")
    .replace(/\b\d+(?:\.\d+)? ?(?:ms|µs|ns|s|sec|seconds)\b/g, "TIME")
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "ID")
    .replace(/\b[0-9a-f]{16,}\b/gi, "ID");
