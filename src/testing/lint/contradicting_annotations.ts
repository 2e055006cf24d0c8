import { exclusionReason } from "../generate/excluded_tools.ts";
import { isObject } from "../../core/values.ts";
import { defineLintRule, type LintFinding } from "../lint_rule.ts";

export default defineLintRule({
  code: "contradicting-annotations",
  summary: "Hints that contradict each other or the tool's own name: hosts ask for approval by them.",
  check({ name, annotations }) {
    if (!isObject(annotations)) return [];
    const findings: LintFinding[] = [];
    const wrong = Object.entries(annotations).filter(([hint, value]) =>
      hint.endsWith("Hint") && typeof value !== "boolean"
    );
    if (wrong.length > 0) {
      const message = `hints of ${name} that are neither true nor false: ${
        wrong.map(([hint]) => hint).join(", ")
      }`;
      findings.push({ severity: "error", message });
    }
    if (annotations.readOnlyHint !== true) return findings;
    if (annotations.destructiveHint === true) {
      const message = `${name} says readOnlyHint: true and destructiveHint: true: hosts believe the first`;
      findings.push({ severity: "warning", message });
    }
    const reason = exclusionReason({ name, inputSchema: {} });
    if (reason !== undefined) {
      const message = `${name} says readOnlyHint: true, but ${reason}: hosts will run it without asking`;
      findings.push({ severity: "warning", message });
    }
    return findings;
  },
});
