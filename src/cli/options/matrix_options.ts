/** `--matrix`: the distributions that a suite is run on. */
import type { Command } from "commander";
import type { MatrixEntry } from "../../../machines/model/matrix.ts";
import type { Problems } from "./problems.ts";
import { collectValues, listValue, positiveOption } from "./option_values.ts";

export interface MatrixRequest {
  entries: MatrixEntry[];
  /** How many are tested at the same time. */
  parallel?: number;
}

/** What has one meaning for one environment, and none for several at once. */
const unfit: Record<string, string> = {
  watch: "a watch follows one environment",
  shard:
    "a part of the suite on every distribution is no comparison of it; give each machine of CI its own --image",
  lastFailed: "what failed last is kept for one environment, and the matrix compares whole suites",
  coverage: "coverage is of one server; measure it in a run without --matrix",
  performance: "figures are worth something only while nothing else runs",
  record: "a recording is of one session",
  image: "the matrix names the images",
};

const flags: Record<string, string> = { lastFailed: "--last-failed" };

export const addMatrixOptions = (command: Command): Command =>
  addMatrixOption(command)
    .option(
      "--parallel <number>",
      "with --matrix: environments at the same time (default: 2, or as processors allow)",
    );

export const addMatrixOption = (command: Command): Command =>
  command.option(
    "--matrix <list>",
    "distributions to test on, as in debian12,debian13: images, runtimes, or runtime:image (docs/distributions.md)",
    collectValues,
  );

/** Reads and checks; everything that is wrong is added to the problems. */
export async function readMatrix(
  options: Record<string, unknown>,
  problems: Problems,
): Promise<MatrixRequest | undefined> {
  const lists = listValue(options.matrix);
  const parallel = positiveOption("--parallel", options.parallel, problems, "whole number");
  if (lists.length === 0) {
    if (parallel !== undefined) {
      problems.add("--parallel says how many of a --matrix run at a time: give --matrix, too");
    }
    return undefined;
  }
  for (const [name, why] of Object.entries(unfit)) {
    const given = options[name];
    if (given !== undefined && given !== false) {
      problems.add(`${flags[name] ?? `--${name}`} does not go with --matrix: ${why}`);
    }
  }
  const asked = lists.join(",");
  const { registry } = await import("../../runtimes/_registry.ts");
  const { readEntries } = await import("../../matrix/matrix_entries.ts");
  const read = readEntries(asked, registry.map(({ name }) => name));
  for (const problem of read.problems) problems.add(`--matrix ${asked}: ${problem}`);
  return { entries: read.entries, ...(parallel === undefined ? {} : { parallel }) };
}
