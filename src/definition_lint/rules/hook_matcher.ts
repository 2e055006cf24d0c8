import { hookEvents, toolEvents } from "../../hooks/hook_events.ts";
import { matcherProblem } from "../../hooks/matcher_problem.ts";
import { defineDefinitionRule, type FoundDefinition } from "../definition_rule.ts";

export default defineDefinitionRule({
  code: "hook-matcher",
  summary: "Matchers and conditions of hooks that never fit, so that the hook never runs.",
  check({ hooks }) {
    const found = new Map<string, FoundDefinition>();
    const add = (finding: FoundDefinition) =>
      found.set(`${finding.file}:${finding.line}:${finding.column}`, finding);
    for (const { event, matcher, matcherPlace, place, hook } of hooks.hooks) {
      const problem = matcherProblem(event, matcher);
      if (problem !== undefined) {
        const severity = hookEvents.get(event)?.matches === undefined ? "warning" : "error";
        add({ severity, ...matcherPlace, message: problem, next: "Correct the matcher" });
      }
      if (hook.if !== undefined && !toolEvents.has(event)) {
        const message = `"if" is for events on tools: on ${event} the hook never runs`;
        add({ severity: "error", ...place, message, next: "Remove it, and decide in the hook" });
      }
    }
    return [...found.values()];
  },
});
