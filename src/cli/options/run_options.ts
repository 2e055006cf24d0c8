/** `--retries`, `--shard`, `--shuffle` and their kin: which of the tests run, in which order and how often. */
import type { Command } from "commander";
import type { SuiteOptions } from "../../api/harness.ts";
import { definedOnly } from "../../core/values.ts";
import type { Problems } from "./problems.ts";
import { positiveOption } from "./option_values.ts";

type RunOptions = Pick<
  SuiteOptions,
  "retries" | "bail" | "lastFailed" | "shuffle" | "seed" | "shard"
>;

export const addRetryOption = (command: Command): Command =>
  command.option(
    "--retries <number>",
    "run what fails so many times more; what then passes at times is flaky, and no failure (default: 0)",
  );

export function addRunOptions(command: Command): Command {
  return command
    .option("--bail <number>", "stop after so many failures")
    .option("--fail-fast", "stop after the first failure")
    .option(
      "--last-failed",
      "only tests that failed or were flaky last time on this machine; all where none did",
    )
    .option("--shuffle", "run the tests in an order drawn from the seed (checks of the server stay first)")
    .option("--seed <number>", "what is drawn is drawn from this number, so that it comes again")
    .option("--shard <part>", "only a part of the tests, as in 2/3: all parts together are the whole");
}

/** Reads and checks; everything that is wrong is added to the problems. */
export function readRunOptions(options: Record<string, unknown>, problems: Problems): RunOptions {
  if (options.bail !== undefined && options.failFast === true) {
    problems.add("--fail-fast is --bail 1: give one of them");
  }
  const shard = readShard(options.shard, problems);
  if (shard && options.shuffle === true && options.seed === undefined) {
    problems.add(
      "--shard with --shuffle needs --seed, the same for all parts: else each draws an order of its own",
    );
  }
  if (shard && options.lastFailed === true) {
    problems.add("--last-failed does not go with --shard: each machine knows its own failures only");
  }
  return definedOnly({
    retries: wholeNumber("--retries", options.retries, problems),
    bail: options.failFast === true ? 1 : positiveOption("--bail", options.bail, problems, "whole number"),
    lastFailed: options.lastFailed === true ? true : undefined,
    shuffle: options.shuffle === true ? true : undefined,
    seed: wholeNumber("--seed", options.seed, problems),
    shard,
  });
}

/** 0 is one, too. */
function wholeNumber(option: string, text: unknown, problems: Problems): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(String(text).trim()) && Number.isSafeInteger(Number(text))) return Number(text);
  problems.add(`${option} expects a whole number from 0, not "${text}"`);
  return undefined;
}

/** `2/3` is the second of three parts. */
export function readShard(text: unknown, problems: Problems): SuiteOptions["shard"] {
  if (text === undefined) return undefined;
  const [, index, of] = /^(\d+)\/(\d+)$/.exec(String(text).trim()) ?? [];
  if (index === undefined) {
    problems.add(`--shard expects a part as in 2/3, not "${text}"`);
    return undefined;
  }
  const shard = { index: Number(index), of: Number(of) };
  if (shard.index >= 1 && shard.index <= shard.of) return shard;
  problems.add(
    shard.of === 0
      ? `--shard ${text}: there is no suite of 0 parts`
      : `--shard ${text}: parts count from 1/${shard.of} to ${shard.of}/${shard.of}`,
  );
  return undefined;
}
