/** `pth report`: reports that runs have written, as one, or in another form. */
import { Argument } from "commander";
import { asPthError, PthError } from "../../core/errors.ts";
import { isAbsent, readTextFile } from "../../platform/files.ts";
import { readReport } from "../../testing/report/read_report.ts";
import { mergeReports, type NamedReport } from "../../testing/report/merge_reports.ts";
import type { Report } from "../../testing/report/report_schema.ts";
import { registry } from "../../testing/reporters/_registry.ts";
import json from "../../testing/reporters/json.ts";
import { type CommandLine, defineCommand } from "../command.ts";
import { Problems } from "../options/problems.ts";
import { chooseReporters, type ChosenReporter } from "../options/choose_reporters.ts";
import { writeReport } from "../write_report.ts";
import { collectValues, listValue, textValue } from "../options/option_values.ts";

export default defineCommand({
  configure(command) {
    const known = registry.map(({ name, summary }) => `\n  ${name.padEnd(8)} ${summary}`).join("");
    command
      .addArgument(new Argument("<action>", "what to do").choices(["merge", "show"]))
      .argument("<reports...>", "JSON reports (--reporter json:FILE, or report.json in --output)")
      .option("--output <file>", "merge: write the merged JSON report here")
      .option(
        "--reporter <name[:file]>",
        `report format, to stdout or a file (repeatable):${known}`,
        collectValues,
      )
      .addHelpText("after", help);
  },
  async run(line, context) {
    const [action, ...files] = line.operands as [string, ...string[]];
    const chosen = await chosenReporters(action, line, files);
    const parts = await readAll(files);
    const report = action === "merge" ? merged(parts) : parts[0]!.report;
    await writeReport(report, chosen, context);
    if (action === "show") return 0;
    if (report.error !== undefined) context.stderr.write(`${report.error.message}\n`);
    return report.exit_code;
  },
});

const help = `
Actions:
  merge <report…>   one report of a suite's shards (--shard); the exit code is that of the worst shard,
                    or 2 if a shard is missing
  show <report>     write the report with other reporters; the exit code is 0`;

async function chosenReporters(
  action: string,
  { options }: CommandLine,
  files: readonly string[],
): Promise<ChosenReporter[]> {
  const problems = new Problems();
  const output = textValue(options.output);
  if (action === "show" && files.length > 1) problems.add("show takes one report; merge takes several");
  if (action === "show" && output !== undefined) {
    problems.add("--output needs merge; show takes --reporter name:file");
  }
  const asked = [...listValue(options.reporter), ...(output === undefined ? [] : [`${json.name}:${output}`])];
  const chosen = await chooseReporters(asked, registry, problems);
  problems.throwIfAny(`Cannot ${action} reports`);
  return chosen;
}

/** Reads all files, so that errors come before any output. */
async function readAll(files: readonly string[]): Promise<NamedReport[]> {
  const read = await Promise.allSettled(
    files.map(async (file) => ({ file, report: readReport(file, await textOf(file)) })),
  );
  const failed = read.filter((result) => result.status === "rejected").map(({ reason }) =>
    asPthError(reason)
  );
  if (failed.length === 1) throw failed[0]!;
  if (failed.length > 1) {
    throw new PthError("INVALID_INPUT", failed.map(({ message }) => message).join("\n"), {
      next: failed[0]!.context.next ?? [],
    });
  }
  return read.flatMap((result) => result.status === "fulfilled" ? [result.value] : []);
}

async function textOf(file: string): Promise<string> {
  try {
    return await readTextFile(file);
  } catch (error) {
    if (!isAbsent(error)) throw asPthError(error, `Cannot read ${file}`);
    throw new PthError("TARGET_NOT_FOUND", `Cannot read a report: there is no file ${file}`, {}, {
      cause: error,
    });
  }
}

/** @throws {PthError} `INVALID_INPUT` where the reports are not of one plugin */
function merged(parts: readonly NamedReport[]): Report {
  const names = new Map(parts.map(({ file, report }) => [report.plugin.name, file]));
  if (names.size > 1) {
    const told = [...names].map(([name, file]) => `${name} (${file})`).join(", ");
    throw new PthError("INVALID_INPUT", `Cannot merge reports: they belong to different plugins: ${told}`, {
      next: ["Merge the reports of each plugin separately"],
    });
  }
  return mergeReports(parts);
}
