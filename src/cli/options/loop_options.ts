/** Options of the loop: its limits, and the fixer. */
import type { Command } from "commander";
import type { IterationRun } from "../../../machines/model/iteration.ts";
import { definedOnly } from "../../core/values.ts";
import type { CommandLine } from "../command.ts";
import type { Problems } from "./problems.ts";
import { choiceOption, positiveOption, textValue } from "./option_values.ts";

/** Limits and fixer of the loop, and the session branch to resume. */
interface LoopRequest {
  run: IterationRun;
  resume?: string;
}

/** Options that a resumed session keeps. */
const ofStart = ["command", "url", "server", "build", "install"];

export function addLoopOptions(command: Command): Command {
  return command
    .option("--fixer <command>", "shell command that proposes a fix for one root cause (required)")
    .option("--fixer-timeout <seconds>", "timeout of one fixer run (default: 600)")
    .option("--max-iterations <number>", "stop after N iterations (default: 10)")
    .option("--patience <number>", "stop after N iterations without progress (default: 3)")
    .option(
      "--scope <tests>",
      "tests to run in each iteration: all (default) or failing; all run once more at the end",
    )
    .option(
      "--impact",
      "after a fix, run only tests affected by it according to coverage; all run once more at the end",
    )
    .option(
      "--resume <branch>",
      "resume the interrupted session of this branch; the target may be omitted",
    );
}

/** Reads and checks; everything that is wrong is added to the problems. */
export function readLoop({ options }: CommandLine, problems: Problems): LoopRequest {
  const fixer = textValue(options.fixer)?.trim() ?? "";
  if (fixer === "") {
    problems.add('--fixer is required: a command that proposes fixes, e.g. --fixer "node fix.mjs"');
  }
  const values = {
    fixer,
    fixerTimeoutSeconds: positiveOption("--fixer-timeout", options.fixerTimeout, problems, "number"),
    maxIterations: positiveOption(
      "--max-iterations",
      options.maxIterations ?? "10",
      problems,
      "whole number",
    ),
    patience: positiveOption("--patience", options.patience ?? "3", problems, "whole number"),
    scope: choiceOption("--scope", options.scope, ["all", "failing"], problems),
    impact: options.impact === true ? true : undefined,
  };
  const resume = textValue(options.resume);
  const idle = resume === undefined ? [] : ofStart.filter((name) => options[name] !== undefined);
  for (const name of idle) {
    problems.add(`--${name} cannot be combined with --resume: the session keeps its start options`);
  }
  return { run: definedOnly(values), ...(resume === undefined ? {} : { resume }) };
}
