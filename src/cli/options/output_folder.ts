/** `--output`: the folder that takes the reports that machines read. */
import { join } from "node:path";
import { folderProblem } from "../../platform/writable.ts";
import json from "../../testing/reporters/json.ts";
import junit from "../../testing/reporters/junit.ts";
import type { ChosenReporter } from "./choose_reporters.ts";
import { textValue } from "./option_values.ts";
import type { Problems } from "./problems.ts";

/** Reads and checks; what is wrong is added to the problems. */
export async function readOutputFolder(
  options: Record<string, unknown>,
  problems: Problems,
): Promise<string | undefined> {
  const folder = textValue(options.output);
  const problem = folder === undefined ? undefined : await folderProblem(folder);
  if (problem !== undefined) problems.add(`--output: cannot write to ${folder}: ${problem}`);
  return folder;
}

/** The reporters, and with a folder `report.json` and `junit.xml` in it. */
export const withOutputFolder = (
  reporters: readonly ChosenReporter[],
  folder: string | undefined,
): ChosenReporter[] => [
  ...reporters,
  ...(folder === undefined ? [] : [
    { definition: json, file: join(folder, "report.json") },
    { definition: junit, file: join(folder, "junit.xml") },
  ]),
];
