/** How long `iterate` goes on, and who makes the fixes. */
import type { Command } from "commander";
import type { IterationRun } from "../../../machines/model/iteration.ts";
import { definedOnly } from "../../core/values.ts";
import type { CommandLine } from "../command.ts";
import type { Problems } from "./problems.ts";
import { choiceOption, positiveOption, textValue } from "./option_values.ts";

/** What to do in the loop, and the session branch to go on with. */
export interface LoopRequest {
  run: IterationRun;
  resume?: string;
}

/** A resumed session knows these. */
const ofStart = ["command", "url", "server", "build", "install"];

export function addLoopOptions(command: Command): Command {
  return command
    .option("--fixer <command>", "shell command that makes a fix for one root cause (required)")
    .option("--fixer-timeout <seconds>", "limit of each of its answers (default: 600)")
    .option("--max-iterations <number>", "stop after so many iterations (default: 10)")
    .option("--patience <number>", "stop after so many iterations without progress (default: 3)")
    .option(
      "--scope <tests>",
      "all (default) or failing: what each iteration tests; all run once more before the end",
    )
    .option(
      "--impact",
      "after a fix, test only what it affects, as coverage tells; all run once more before the end",
    )
    .option(
      "--resume <branch>",
      "go on with the interrupted session of this branch; the target may be left out",
    );
}

/** Reads and checks; everything that is wrong is added to the problems. */
export function readLoop({ options }: CommandLine, problems: Problems): LoopRequest {
  const fixer = textValue(options.fixer)?.trim() ?? "";
  if (fixer === "") {
    problems.add('--fixer is missing: a command that makes fixes, as in --fixer "node fix.mjs"');
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
    problems.add(`--${name} does not go with --resume: the session knows how it started`);
  }
  return { run: definedOnly(values), ...(resume === undefined ? {} : { resume }) };
}
