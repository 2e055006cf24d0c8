/** Writes for a person at a terminal: steps in progress, results by tool, failures in full, a summary. */
import { defineReporter, dispatch, type ReporterHooks } from "../reporter.ts";
import {
  renderCoverage,
  renderFindings,
  renderMeasured,
  renderSummary,
  renderUnexercised,
} from "./spec/closing.ts";
import { renderFailures } from "./spec/render_failures.ts";
import { renderMatrix } from "./spec/matrix.ts";
import { createProgress } from "./spec/spec_progress.ts";
import { createResultGroups } from "./spec/create_result_groups.ts";

export default defineReporter({
  name: "spec",
  summary: "for people: live steps in a terminal, results by tool, failures in full",
  writes: "stream",
  create(output) {
    const { live, style, hooks } = createProgress(output);
    const groups = createResultGroups(style);
    const results: ReporterHooks = {
      "suite.started": (fact) => {
        dispatch(hooks, fact);
        groups.expect(fact.tests);
      },
      "test.finished": (fact) => {
        dispatch(hooks, fact);
        const group = groups.add(fact.result);
        if (group !== undefined) live.print(group);
      },
      "environment.provisioned": ({ environment }) =>
        live.print(style.dim(style.lines(environment.reason, 2).join("\n")) + "\n"),
      end: (run) => {
        hooks.end?.(run);
        live.print(
          groups.rest() + renderFailures(groups.failures, style) + renderFindings(run, style) +
            renderUnexercised(run, style) + renderCoverage(run, style) + renderMeasured(run, style) +
            renderMatrix(run, style) + renderSummary(run, style),
        );
      },
    };
    return { ...hooks, ...results };
  },
});
