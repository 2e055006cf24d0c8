/** `--matrix`: the distributions that a suite is run on. */
import type { Command } from "commander";
import type { MatrixEntry } from "../../../machines/model/matrix.ts";
import type { Problems } from "./problems.ts";
import { collectValues, listValue, positiveOption } from "./option_values.ts";

export interface MatrixRequest {
  entries: MatrixEntry[];
  /** Number of entries tested in parallel. */
  parallel?: number;
}

/** Options that cannot be combined with a matrix, with the reason. */
const unfit: Record<string, string> = {
  watch: "watching works with one environment",
  shard: "shards of a matrix cannot be compared; give each CI machine its own --image instead",
  lastFailed: "last failures are stored per environment, and a matrix compares whole suites",
  coverage: "coverage is measured for one server; run it without --matrix",
  performance: "measurements are valid only while nothing else runs",
  record: "a recording covers one session",
  image: "the matrix lists the images",
};

const flags: Record<string, string> = { lastFailed: "--last-failed" };

export const addMatrixOptions = (command: Command): Command =>
  addMatrixOption(command)
    .option(
      "--parallel <number>",
      "with --matrix: number of parallel environments (default: 2, or what the processors allow)",
    );

export const addMatrixOption = (command: Command): Command =>
  command.option(
    "--matrix <list>",
    "matrix entries, e.g. debian12,debian13: images, runtimes or runtime:image (docs/distributions.md)",
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
      problems.add("--parallel needs --matrix: it limits how many entries run at a time");
    }
    return undefined;
  }
  for (const [name, why] of Object.entries(unfit)) {
    const given = options[name];
    if (given !== undefined && given !== false) {
      problems.add(`${flags[name] ?? `--${name}`} cannot be combined with --matrix: ${why}`);
    }
  }
  const asked = lists.join(",");
  const { registry } = await import("../../runtimes/_registry.ts");
  const { readEntries } = await import("../../matrix/matrix_entries.ts");
  const read = readEntries(asked, registry.map(({ name }) => name));
  for (const problem of read.problems) problems.add(`--matrix ${asked}: ${problem}`);
  return { entries: read.entries, ...(parallel === undefined ? {} : { parallel }) };
}
