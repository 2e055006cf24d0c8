/** `--reporter name[:file]`: which reporters write where. */
import type { ReporterDefinition } from "../../testing/reporter.ts";
import { didYouMean } from "../../core/did_you_mean.ts";
import { writableProblem } from "../../platform/writable.ts";
import type { Problems } from "./problems.ts";

export interface ChosenReporter {
  definition: ReporterDefinition;
  /** Absent: stdout. */
  file?: string;
}

/**
 * Reads the reporters; if none writes to stdout, `spec` is added for people.
 */
export async function chooseReporters(
  asked: readonly string[],
  known: readonly ReporterDefinition[],
  problems: Problems,
): Promise<ChosenReporter[]> {
  const chosen: ChosenReporter[] = [];
  for (const text of asked) {
    const at = text.indexOf(":");
    const name = at < 0 ? text : text.slice(0, at);
    const definition = known.find((reporter) => reporter.name === name);
    if (definition === undefined) problems.add(unknownReporter(name, known));
    else if (at >= 0 && at === text.length - 1) problems.add(`--reporter ${text} has no file after ":"`);
    else chosen.push(at < 0 ? { definition } : { definition, file: text.slice(at + 1) });
  }
  const onStdout = chosen.filter(({ file }) => file === undefined);
  if (onStdout.length > 1) {
    const names = onStdout.map(({ definition }) => definition.name).join(" and ");
    problems.add(
      `--reporter ${names} cannot both write to stdout: give all but one a file, e.g. json:report.json`,
    );
  }
  await checkFiles(chosen, problems);
  const spec = known.find((reporter) => reporter.name === "spec");
  return onStdout.length === 0 && spec !== undefined ? [{ definition: spec }, ...chosen] : chosen;
}

function unknownReporter(name: string, known: readonly ReporterDefinition[]): string {
  const names = known.map((reporter) => reporter.name);
  const near = didYouMean(name, names);
  const hint = near === undefined ? "" : ` (did you mean "${near}"?)`;
  return `--reporter expects one of ${
    names.join(", ")
  }, alone or with a file, e.g. json:report.json, not "${name}"${hint}`;
}

async function checkFiles(chosen: readonly ChosenReporter[], problems: Problems): Promise<void> {
  const files = chosen.flatMap(({ file }) => file ?? []);
  for (const file of new Set(files)) {
    if (files.indexOf(file) !== files.lastIndexOf(file)) {
      problems.add(`--reporter: two reporters cannot both write to ${file}`);
    }
    const problem = await writableProblem(file);
    if (problem !== undefined) problems.add(`--reporter: cannot write ${file}: ${problem}`);
  }
}
