/** What `run` needs to choose and judge tests: options, and how they are read. */
import type { Command } from "commander";
import type { Tier } from "../../../machines/model/environment.ts";
import { asPthError, type PthError } from "../../core/errors.ts";
import type { GenerateOptions, SuiteOptions } from "../../api/harness.ts";
import { folderProblem } from "../../platform/writable.ts";
import type { ReporterDefinition } from "../../testing/reporter.ts";
import { definedOnly } from "../../core/values.ts";
import type { CommandLine } from "../command.ts";
import { addPhaseOptions, readPhases, type RunPhase } from "../run_phase.ts";
import { registry as phases } from "../run_phases/_registry.ts";
import { signals } from "../../testing/generator.ts";
import { readMaxTests, readSignals } from "./max_tests_option.ts";
import type { Problems } from "./problems.ts";
import { chooseReporters, type ChosenReporter } from "./choose_reporters.ts";
import { addRetryOption, addRunOptions, readRunOptions } from "./run_options.ts";
import { choiceOption, collectValues, listValue, positiveOption, textValue } from "./option_values.ts";

export interface SuiteRequest {
  suite: SuiteOptions;
  /** Replaces discovery and generation. */
  testsPath?: string;
  includeHeldBack: boolean;
  /** Input tests to generate at most. */
  maxTests?: number;
  /** What tests are generated from; absent: the schemas of the tools. */
  from?: NonNullable<GenerateOptions["from"]>;
  reporters: ChosenReporter[];
  /** What is done with the plugin after its tests. */
  phases: RunPhase[];
  /** Whether to stay and test what changes. */
  watch?: boolean;
  /** Folder for report.json, junit.xml and tests.yaml. */
  outputFolder?: string;
}

/** How tests are chosen and judged, wherever suites run. */
export function addTestOptions(command: Command): Command {
  return addRetryOption(command)
    .option("--tests <path>", "file or folder of tests, in place of .pth/tests and generated ones")
    .option("--grep <regex>", "only tests whose name matches")
    .option("--tag <tag>", "only tests with this tag")
    .option("--tier <number>", "only tests of this tier: 1, 2 or 3")
    .option("--workers <number>", "servers to spread the tests over, or auto (default)")
    .option(
      "--timeout <seconds>",
      "limit of a test that names none of its own; above 60 also of the server's start",
    )
    .option(
      "--isolation <mode>",
      "shared: one server for many tests (default); per_test: a fresh one for each",
    )
    .option("--coverage", "measure which code of the plugin the tests run")
    .option("--strict", "a tool that accepts what its schema forbids fails its test (default: a finding)");
}

export function addSuiteOptions(command: Command, reporters: readonly ReporterDefinition[]): Command {
  const known = reporters.map(({ name, summary }) => `\n  ${name.padEnd(8)} ${summary}`).join("");
  return addPhaseOptions(addRunOptions(addTestOptions(command)), phases)
    .option("--watch", "stay, and test again what changes in the plugin's folder (q or Ctrl-C ends it)")
    .option(
      "--include-held-back",
      "also generate tests for tools that call themselves destructive or open-world",
    )
    .option("--max-tests <number>", "generate at most so many input tests (default: 2500)")
    .option(
      "--generate <signal>",
      `what to generate tests from (repeatable; default schema): ${signals.join(", ")} or all`,
      collectValues,
    )
    .option(
      "--reporter <name[:file]>",
      `what to write, to stdout or a file (repeatable):${known}`,
      collectValues,
    )
    .option("--output <folder>", "write report.json, junit.xml and the tests that ran (tests.yaml) here");
}

/** Reads and checks; everything that is wrong is added to the problems. */
export async function readSuite(
  { options }: CommandLine,
  known: readonly ReporterDefinition[],
  problems: Problems,
): Promise<SuiteRequest> {
  const outputFolder = textValue(options.output);
  const outputProblem = outputFolder === undefined ? undefined : await folderProblem(outputFolder);
  if (outputProblem !== undefined) {
    problems.add(`--output: cannot write to ${outputFolder}: ${outputProblem}`);
  }
  const testsPath = textValue(options.tests);
  const from = readSignals("--generate", options.generate, problems);
  return {
    suite: readSuiteOptions(options, problems),
    includeHeldBack: options.includeHeldBack === true,
    ...definedOnly({ maxTests: readMaxTests(options.maxTests, problems) }),
    watch: options.watch === true,
    ...(from === undefined ? {} : { from }),
    phases: readPhases(options, phases),
    reporters: await chooseReporters(listValue(options.reporter), known, problems),
    ...(testsPath === undefined ? {} : { testsPath }),
    ...(outputFolder === undefined ? {} : { outputFolder }),
  };
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

function readRegex(value: unknown, problems: Problems): string | undefined {
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

/** What is wrong with the test files, before anything starts. */
export async function checkTests(path: string | undefined): Promise<PthError | undefined> {
  if (path === undefined) return undefined;
  const { loadTests } = await import("../../testing/format/load.ts");
  try {
    await loadTests(path);
    return undefined;
  } catch (error) {
    return asPthError(error, "Cannot read tests");
  }
}
