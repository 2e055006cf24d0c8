/** Request to measure the plugin's tools. */
import type { PerformanceRequest } from "../../../machines/model/performance.ts";
import { PthError } from "../../core/errors.ts";
import type { LoopCommands, PluginCommands, RequestOptions } from "../../api/harness.ts";
import { definedOnly } from "../../core/values.ts";
import { reloadPlugin } from "../plugin/plugin_commands.ts";
import { saveWhatIsKnown } from "../fixes/checkpoint_command.ts";
import { sendRequest } from "../send_request.ts";
import { loadedPlugin, type SessionParts, withProgress } from "../session/session_parts.ts";
import { runsOn } from "../../actors/tests/runs_on.ts";
import { count } from "../../core/text.ts";

export function performanceCommand(
  context: SessionParts,
  { loop }: { loop: Pick<LoopCommands, "status"> },
): Pick<PluginCommands, "measurePerformance"> {
  const { actor, live } = context;
  const measure = (request: PerformanceRequest, { signal }: RequestOptions) =>
    sendRequest(
      actor,
      { type: "session.measure_performance", request, known: knownInputs(context) },
      { signal },
    );
  return {
    async measurePerformance(request, options = {}) {
      if (!loadedPlugin(context)) {
        throw new PthError("NOT_NOW", "Cannot measure performance: the plugin is not loaded", {
          next: [{ mcp: "Load it first: pth_load_plugin" }],
        });
      }
      if (live.coverage.run !== undefined) {
        // Measuring which code runs slows a server down.
        // What loading took is told of the first time, when all had to be done.
        const timings = { ...live.progress.timings };
        await reloadPlugin(context, options, false);
        Object.assign(live.progress.timings, timings);
      }
      const report = await withProgress(
        context,
        options,
        () =>
          live.progress.step(
            "performance",
            "measuring the tools",
            () => measure(request, options),
            ({ tools, outliers }) =>
              `${count(tools.length, "tool")} measured, ${count(outliers.length, "outlier")}`,
          ),
      );
      context.measurements.reports = {
        ...context.measurements.reports,
        performance: report,
        tokenCost: report.contextCost,
      };
      context.measurements.commits = definedOnly({
        ...context.measurements.commits,
        performance: runsOn(live).commit,
      });
      await saveWhatIsKnown(context, loop.status);
      return report;
    },
  };
}

const knownInputs = ({ results }: SessionParts): Record<string, Record<string, unknown>> =>
  Object.fromEntries([...results.examples].map(([tool, { input }]) => [tool, input]));
