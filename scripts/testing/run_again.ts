/** Runs files that failed a second time, alone, so that trouble of a moment is told apart from a fault. */
import type { TestFile } from "./test_file.ts";
import type { FileRun, Platform } from "./run_batch.ts";

/** More files than these fail for a common reason: running them again tells nothing, and takes long. */
export const mostRunAgain = 12;

/**
 * The runs, with the second run in the place of each failed one. A file that passes then is flaky: its first failures are
 * kept with it.
 * @param runAlone runs one file; nothing else runs beside it
 */
export async function runFailedAgain(
  runs: readonly FileRun[],
  runAlone: (file: TestFile, platform: Platform) => Promise<FileRun>,
): Promise<FileRun[]> {
  const failed = runs.filter((run) => run.failed > 0);
  if (failed.length > mostRunAgain) return [...runs];
  const second = new Map<FileRun, FileRun>();
  for (const first of failed) {
    const run = await runAlone(first.file, first.platform);
    second.set(first, run.failed > 0 ? run : { ...run, firstFailures: first.failures });
  }
  return runs.map((run) => second.get(run) ?? run);
}
