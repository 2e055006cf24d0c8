/** Options that select tests and decide verdicts and reports. */
import { addAgentOptions, readPromptAgent } from "./agent_options.ts";
import { addDestructiveOptions, readDestructive } from "./destructive_options.ts";
import type { Command } from "commander";
import type { Tier } from "../../../machines/model/environment.ts";
import { asPthError, type PthError } from "../../core/errors.ts";
import type { GenerateOptions, SuiteOptions, TestFiles } from "../../api/harness.ts";
import type { ReporterDefinition } from "../../testing/reporter.ts";
import { definedOnly } from "../../core/values.ts";
import type { CommandLine } from "../command.ts";
import { addPhaseOptions, readPhases, type RunPhase } from "../run_phase.ts";
import { registry as phases } from "../run_phases/_registry.ts";
import { signals } from "../../testing/generator.ts";
import {
  choiceOption,
  collectValues,
  listValue,
  positiveOption,
  readMaxTests,
  readSignals,
  textValue,
} from "./option_values.ts";
import { readOutputFolder } from "./output_folder.ts";
import { addOwnTestOptions, readOwnTests } from "./own_test_options.ts";
import type { Problems } from "./problems.ts";
import { learnedOption } from "./learned_option.ts";
import { chooseReporters, type ChosenReporter } from "./choose_reporters.ts";
import { addRetryOption, addRunOptions, readRunOptions } from "./run_options.ts";

export interface SuiteRequest {
  suite: SuiteOptions;
  /** Replaces discovery and generation. */
  testsPath?: string;
  /** Tests of this path, where they were read already. */
  tests?: TestFiles;
  includeHeldBack?: boolean;
  /** A run that exercises no tool is no failure. */
  allowUnexercised?: boolean;
  /** Whether to look for inputs that refusing tools accept, and the file in which to keep them. */
  learn?: boolean | { output: string };
  /** Input tests to generate at most. */
  maxTests?: number;
  /** Signals that tests are generated from; absent: the schemas of the tools. */
  from?: NonNullable<GenerateOptions["from"]>;
  reporters: ChosenReporter[];
  /** Phases that follow the tests. */
  phases: RunPhase[];
  /** Whether to stay and test what changes. */
  watch?: boolean;
  /** Folder for report.json, junit.xml and tests.yaml. */
  outputFolder?: string;
}

/** Adds the options that select and judge tests, for all commands that run suites. */
export function addTestOptions(command: Command): Command {
  return addOwnTestOptions(addAgentOptions(addRetryOption(command)))
    .option("--tests <path>", "test file or folder, instead of .pth/tests and generated tests")
    .option("--grep <regex>", "only tests whose name matches")
    .option("--tag <tag>", "only tests with this tag")
    .option("--tier <number>", "only tests of this test tier: 1, 2 or 3")
    .option("--workers <number>", "number of parallel workers (one server each), or auto (default)")
    .option(
      "--timeout <seconds>",
      "default test timeout; above 60 also extends the server start timeout",
    )
    .option(
      "--isolation <mode>",
      "shared: one server for many tests (default); per_test: a new server for each test",
    )
    .option("--coverage", "measure code coverage of the plugin")
    .option(
      "--strict",
      "fail tests of tools that accept input their schema forbids (default: report a finding)",
    );
}

export function addSuiteOptions(command: Command, reporters: readonly ReporterDefinition[]): Command {
  const known = reporters.map(({ name, summary }) => `\n  ${name.padEnd(8)} ${summary}`).join("");
  const tests = addDestructiveOptions(addRunOptions(addTestOptions(command)), "generate tests for ");
  return addPhaseOptions(tests, phases)
    .option("--watch", "watch the plugin folder and rerun affected tests (q or Ctrl-C to quit)")
    .option("--allow-unexercised", "exit with 0 also where no tool was exercised")
    .option("--no-learn", "do not look for inputs that tools accept which refused the generated ones")
    .option(
      "--learned <file>",
      "keep the inputs that were found in this file (that of a plugin, .pth/learned.yaml, is read again)",
    )
    .option("--max-tests <number>", "generate at most N input tests (default: 2500)")
    .option(
      "--generate <signal>",
      `generate tests from (default: schema; repeatable): ${signals.join(", ")} or all`,
      collectValues,
    )
    .option(
      "--reporter <name[:file]>",
      `report format, to stdout or a file (repeatable):${known}`,
      collectValues,
    )
    .option(
      "--output <folder>",
      "write report.json, junit.xml and the tests that ran (tests.yaml) to this folder",
    );
}

/** Reads and checks; everything that is wrong is added to the problems. */
export async function readSuite(
  { options }: CommandLine,
  known: readonly ReporterDefinition[],
  problems: Problems,
): Promise<SuiteRequest> {
  const outputFolder = await readOutputFolder(options, problems);
  const testsPath = textValue(options.tests);
  const from = readSignals("--generate", options.generate, problems);
  const learn = await readLearn(options, problems);
  return {
    suite: {
      ...readSuiteOptions(options, problems),
      ...definedOnly({
        agent: await readPromptAgent(options, problems),
        ownTests: await readOwnTests(options, problems),
      }),
    },
    ...definedOnly({ includeHeldBack: readDestructive(options) }),
    allowUnexercised: options.allowUnexercised === true,
    ...definedOnly({ maxTests: readMaxTests(options.maxTests, problems) }),
    learn,
    watch: options.watch === true,
    ...(from === undefined ? {} : { from }),
    phases: readPhases(options, phases),
    reporters: await chooseReporters(listValue(options.reporter), known, problems),
    ...(testsPath === undefined ? {} : { testsPath }),
    ...(outputFolder === undefined ? {} : { outputFolder }),
  };
}

async function readLearn(
  options: CommandLine["options"],
  problems: Problems,
): Promise<NonNullable<SuiteRequest["learn"]>> {
  const output = await learnedOption(options, problems);
  if (output === undefined) return options.learn !== false;
  if (options.learn === false) problems.add("--learned keeps what is found, and --no-learn finds nothing");
  return { output };
}

export function readSuiteOptions(options: Record<string, unknown>, problems: Problems): SuiteOptions {
  const workers = options.workers === "auto"
    ? "auto" as const
    : positiveOption("--workers (auto or a number)", options.workers, problems, "whole number");
  const tier = choiceOption("--tier", options.tier, ["1", "2", "3"], problems);
  const values = {
    workers,
    grep: readRegex(options.grep, problems),
    tag: textValue(options.tag),
    tier: tier === undefined ? undefined : Number(tier) as Tier,
    timeoutSeconds: positiveOption("--timeout", options.timeout, problems, "number"),
    isolation: choiceOption("--isolation", options.isolation, ["shared", "per_test"], problems),
    strict: options.strict === true ? true : undefined,
    coverage: options.coverage === true ? true : undefined,
    ...readRunOptions(options, problems),
  };
  return definedOnly(values);
}

/** Reads `--grep`: a regular expression. */
export function readRegex(value: unknown, problems: Problems): string | undefined {
  const regex = textValue(value);
  if (regex === undefined) return undefined;
  try {
    new RegExp(regex);
    return regex;
  } catch (error) {
    problems.add(`--grep: ${(error as Error).message}`);
    return undefined;
  }
}

/** Reads the test files before anything starts; a problem with them is returned, too. */
export async function readTests(
  path: string | undefined,
): Promise<{ tests?: TestFiles; problem?: PthError }> {
  if (path === undefined) return {};
  const { loadValid } = await import("../../testing/format/load.ts");
  try {
    return { tests: await loadValid(path) };
  } catch (error) {
    return { problem: asPthError(error, "Cannot read tests") };
  }
}
