/** Keeps how long each test file took when it last ran on this machine: `.build/test-times.json`. */
import { dirname, join } from "node:path";
import { mkdir, readTextIfExists, writeTextAtomically } from "../../src/platform/files.ts";
import type { FileRun, Platform } from "./run_batch.ts";
import type { TestFile } from "./test_file.ts";

/** Seconds by platform and path: `deno test/src/a_test.ts`. */
export type TestTimes = Record<string, number>;

const pathOf = (root: string): string => join(root, ".build/test-times.json");

/** Seconds assumed for a file that was never measured. */
const guess = { unit: 0.4, integration: 15 };

export async function readTestTimes(root: string): Promise<TestTimes> {
  const text = await readTextIfExists(pathOf(root));
  if (text === undefined) return {};
  try {
    return JSON.parse(text) as TestTimes;
  } catch {
    // A file that was cut short orders nothing: it is written anew at the end of this run.
    return {};
  }
}

/** Adds the durations of these runs to those of earlier ones. */
export async function writeTestTimes(root: string, runs: readonly FileRun[]): Promise<void> {
  const times = await readTestTimes(root);
  for (const { platform, file, durationMs } of runs) {
    times[`${platform} ${file.path}`] = Math.round(durationMs / 10) / 100;
  }
  await mkdir(dirname(pathOf(root)), { recursive: true });
  await writeTextAtomically(pathOf(root), JSON.stringify(times, undefined, 1));
}

/** Seconds that the file will take: measured, said by itself, or guessed. */
export function expectedSeconds(times: TestTimes, file: TestFile, platform: Platform): number {
  const measured = times[`${platform} ${file.path}`];
  if (measured !== undefined) return measured;
  if (file.slow) return file.timeoutSeconds / 3;
  return file.unit ? guess.unit : guess.integration;
}
