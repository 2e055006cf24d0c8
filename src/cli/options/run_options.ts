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
    "retry failed tests up to N times; tests that then pass are reported as flaky and do not fail the run (default: 0)",
  );

export function addRunOptions(command: Command): Command {
  return command
    .option("--bail <number>", "stop after N failures")
    .option("--fail-fast", "stop after the first failure")
    .option(
      "--last-failed",
      "only tests that failed or were flaky in the last run on this machine (all, if none did)",
    )
    .option("--shuffle", "randomize test order (server checks still run first)")
    .option("--seed <number>", "random seed, to reproduce a run")
    .option("--shard <part>", "run one shard, e.g. 2/3");
}

/** Reads and checks; everything that is wrong is added to the problems. */
export function readRunOptions(options: Record<string, unknown>, problems: Problems): RunOptions {
  if (options.bail !== undefined && options.failFast === true) {
    problems.add("--fail-fast is --bail 1: give one of them");
  }
  const shard = readShard(options.shard, problems);
  if (shard && options.shuffle === true && options.seed === undefined) {
    problems.add(
      "--shard with --shuffle needs the same --seed for all shards: otherwise each shard has a different order",
    );
  }
  if (shard && options.lastFailed === true) {
    problems.add("--last-failed cannot be combined with --shard: each machine knows only its own failures");
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

/** Reads a whole number from 0. */
function wholeNumber(option: string, text: unknown, problems: Problems): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(String(text).trim()) && Number.isSafeInteger(Number(text))) return Number(text);
  problems.add(`${option} expects a whole number from 0, not "${text}"`);
  return undefined;
}

/** `2/3` is the second of three parts. */
function readShard(text: unknown, problems: Problems): SuiteOptions["shard"] {
  if (text === undefined) return undefined;
  const [, index, of] = /^(\d+)\/(\d+)$/.exec(String(text).trim()) ?? [];
  if (index === undefined) {
    problems.add(`--shard expects <index>/<count>, e.g. 2/3, not "${text}"`);
    return undefined;
  }
  const shard = { index: Number(index), of: Number(of) };
  if (shard.index >= 1 && shard.index <= shard.of) return shard;
  problems.add(
    shard.of === 0
      ? `--shard ${text}: a suite has at least one shard`
      : `--shard ${text}: shards are numbered 1/${shard.of} to ${shard.of}/${shard.of}`,
  );
  return undefined;
}
