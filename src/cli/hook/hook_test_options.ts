/** Options of `pth hook test`: which tests run, how often, and what is written of them. */
import type { Command } from "commander";
import type { SuiteOptions } from "../../api/harness.ts";
import { definedOnly } from "../../core/values.ts";
import { registry } from "../../testing/reporters/_registry.ts";
import type { CommandLine } from "../command.ts";
import { chooseReporters, type ChosenReporter } from "../options/choose_reporters.ts";
import { listValue } from "../options/option_values.ts";
import { readOutputFolder, withOutputFolder } from "../options/output_folder.ts";
import type { Problems } from "../options/problems.ts";
import { addRetryOption, addRunOptions, readRunOptions } from "../options/run_options.ts";
import { readRegex } from "../options/suite_options.ts";

export interface HookTestOptions {
  folder: string;
  suite: SuiteOptions;
  json: boolean;
  reporters: ChosenReporter[];
}

/** Keys of the options that are for tests alone. */
const ofTests = [
  ...["grep", "reporter", "output", "retries", "bail", "failFast", "lastFailed", "shuffle", "seed", "shard"],
];
/** Keys of the options that are for one event. */
const ofEvents = ["payload", "tool", "input", "var", "project"];

export const addHookTestOptions = (command: Command): Command => addRunOptions(addRetryOption(command));

const flag = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Adds a problem for each option that is for the other action. */
export function refuseOthersOf(
  action: "fire" | "test",
  options: CommandLine["options"],
  problems: Problems,
): void {
  const [foreign, other] = action === "fire" ? [ofTests, "test"] : [ofEvents, "fire"];
  for (const key of foreign) {
    if (options[key] !== undefined) problems.add(`${flag(key)} is for pth hook ${other}`);
  }
}

/** Reads and checks; everything that is wrong is added to the problems. */
export async function readHookTestOptions(
  { operands: [, folder, extra], options }: CommandLine,
  problems: Problems,
): Promise<HookTestOptions> {
  if (folder === undefined) problems.add("name a folder with tests: pth hook test <folder>");
  if (extra !== undefined) problems.add("test takes no event: each test has its own");
  refuseOthersOf("test", options, problems);
  const asked = listValue(options.reporter);
  const onStdout = asked.some((each) => !each.includes(":"));
  if (options.json === true && onStdout) problems.add("--json: a reporter already writes to stdout");
  const chosen = await chooseReporters(asked, registry, problems);
  const output = await readOutputFolder(options, problems);
  return {
    folder: folder ?? "",
    suite: {
      ...readRunOptions(options, problems),
      ...definedOnly({ grep: readRegex(options.grep, problems) }),
    },
    json: options.json === true,
    // People read lines of this command's own where no reporter was asked for.
    reporters: withOutputFolder(onStdout ? chosen : chosen.filter(({ file }) => file !== undefined), output),
  };
}
