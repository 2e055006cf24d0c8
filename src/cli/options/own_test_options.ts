/** `--own-tests` and its kin: the plugin's own tests as a part of a run. */
import type { Command } from "commander";
import type { OwnTestOptions } from "../../../machines/model/suite_options.ts";
import { definedOnly } from "../../core/values.ts";
import { frameworkNames } from "../../project_tests/choose_framework.ts";
import { choiceOption, collectValues, listValue, positiveOption, textValue } from "./option_values.ts";
import type { Problems } from "./problems.ts";

export const addOwnTestOptions = (command: Command): Command =>
  command
    .option(
      "--own-tests",
      "also run the plugin's own tests (pytest, vitest, cargo …) in the environment, after the others",
    )
    .option(
      "--own-tests-framework <name>",
      "their framework, in place of the one that fits best (repeatable: one after the other)",
      collectValues,
    )
    .option("--own-tests-level <level>", "only own tests of this level: unit, integration or e2e")
    .option("--own-tests-command <command>", "test program, or command, where their framework needs one")
    .option("--own-tests-timeout <seconds>", "limit of all own tests (default: 30, 120 or 300 by level)");

/** Reads and checks; undefined where no own tests were asked for. Everything that is wrong is added to the problems. */
export async function readOwnTests(
  options: Record<string, unknown>,
  problems: Problems,
): Promise<OwnTestOptions | undefined> {
  const { ownTests, ownTestsFramework, ownTestsLevel, ownTestsCommand, ownTestsTimeout } = options;
  const seconds = positiveOption("--own-tests-timeout", ownTestsTimeout, problems, "number");
  const names = listValue(ownTestsFramework);
  const known = names.length === 0 ? [] : await frameworkNames();
  const frameworks = names.flatMap((name) =>
    choiceOption("--own-tests-framework", name, known, problems) ?? []
  );
  if (names.length > 1 && ownTestsCommand !== undefined) {
    problems.add("--own-tests-command is a command of one framework: give one --own-tests-framework");
  }
  const choice: OwnTestOptions = definedOnly({
    frameworks: names.length === 0 ? undefined : [...new Set(frameworks)],
    level: choiceOption("--own-tests-level", ownTestsLevel, ["unit", "integration", "e2e"], problems),
    command: textValue(ownTestsCommand),
    timeoutMs: seconds === undefined ? undefined : seconds * 1000,
  });
  return ownTests === true || Object.keys(choice).length > 0 ? choice : undefined;
}
