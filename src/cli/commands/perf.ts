/** `pth perf`: what each of a server's tools takes; nothing passes or fails. */
import type { PerformanceReport, PerformanceRequest } from "../../../machines/model/performance.ts";
import { readTextIfExists, writeTextAtomically } from "../../platform/files.ts";
import { writableProblem } from "../../platform/writable.ts";
import {
  compareWithEarlier,
  type EarlierReport,
  parsePerformance,
  ratioRows,
  writePerformance,
} from "../../performance/performance_file.ts";
import {
  outlierRows,
  performanceSummary,
  performanceTable,
  unmeasuredRows,
} from "../../performance/performance_text.ts";
import { definedOnly } from "../../core/values.ts";
import { type CommandLine, defineCommand } from "../command.ts";
import { Problems } from "../options/problems.ts";
import { withAskedSecrets } from "../options/secrets.ts";
import { addStartOptions, readStart } from "../options/start_options.ts";
import { collectValues, listValue, positiveOption, textValue } from "../options/option_values.ts";
import { withLoadedPlugin } from "../with_loaded_plugin.ts";

export default defineCommand({
  configure(command) {
    addStartOptions(command)
      .option("--calls <number>", "sequential calls per tool (default: 20)")
      .option("--tool <name>", "only this tool (repeatable)", collectValues)
      .option("--include-destructive", "also tools annotated destructive or open-world")
      .option("--output <file>", "also write all figures as JSON (pth-performance/1)")
      .option("--baseline <file>", "compare with an earlier --output file");
  },
  async run(line, context) {
    const problems = new Problems();
    const start = await readStart(line, context, problems);
    const request = readRequest(line, problems);
    const output = textValue(line.options.output);
    const unwritable = output === undefined ? undefined : await writableProblem(output);
    if (unwritable !== undefined) problems.add(`--output: cannot write ${output}: ${unwritable}`);
    const earlier = await readEarlier(textValue(line.options.baseline), problems);
    problems.throwIfAny("Cannot measure");
    const asked = await withAskedSecrets(start, context);
    return await withLoadedPlugin(asked, context, async (session, { signal, race }) => {
      // Inputs that tests have shown to work are the best ones.
      await race(session.tests.generate({}, { signal }));
      await race(session.tests.runSuite({}, { signal }));
      const report = await race(session.plugin.measurePerformance(request, { signal }));
      if (output !== undefined) await writeTextAtomically(output, writePerformance(report));
      context.stdout.write(describe(report, earlier));
    });
  },
});

function readRequest({ options }: CommandLine, problems: Problems): PerformanceRequest {
  const tools = listValue(options.tool);
  return definedOnly({
    calls: positiveOption("--calls", options.calls, problems, "whole number"),
    tools: tools.length === 0 ? undefined : tools,
    includeHeldBack: options.includeDestructive === true ? true : undefined,
  });
}

async function readEarlier(file: string | undefined, problems: Problems): Promise<EarlierReport | undefined> {
  if (file === undefined) return undefined;
  try {
    const content = await readTextIfExists(file);
    if (content !== undefined) return parsePerformance(file, content);
    problems.add(`--baseline ${file}: there is no such file`);
  } catch (error) {
    problems.add(`--baseline: ${(error as Error).message}`);
  }
  return undefined;
}

const describe = (report: PerformanceReport, earlier: EarlierReport | undefined): string =>
  [
    ...performanceTable(report.tools),
    "",
    ...outlierRows(report),
    ...(earlier === undefined ? [] : ratioRows(compareWithEarlier(earlier, report))),
    ...unmeasuredRows(report),
    performanceSummary(report),
    ...report.notes,
    "",
  ].join("\n");
