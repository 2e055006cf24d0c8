/** Writes a report with the reporters that were chosen, to stdout or to their files. */
import { openFileOutput } from "../platform/file_output.ts";
import type { Report } from "../testing/report/report_schema.ts";
import { replayRun, runOfReport } from "../testing/report/run_of_report.ts";
import type { CommandContext } from "./command.ts";
import type { ChosenReporter } from "./options/choose_reporters.ts";

export async function writeReport(
  report: Report,
  chosen: readonly ChosenReporter[],
  { stdout }: CommandContext,
): Promise<void> {
  const files = chosen.flatMap(({ file }) => file ?? []);
  const run = runOfReport(report, files);
  for (const { definition, file } of chosen) {
    await definition.prepare?.();
    if (file === undefined) {
      replayRun(definition.create(stdout), run);
      continue;
    }
    const output = await openFileOutput(file, definition.writes);
    const plain = { isTerminal: false, colour: false, columns: () => 80 };
    replayRun(definition.create({ ...plain, write: (piece) => output.write(piece) }), run);
    await output.close();
  }
}
