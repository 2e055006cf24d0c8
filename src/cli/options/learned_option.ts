/** `--learned <file>`: where inputs are kept that tools accept. */
import { writableProblem } from "../../platform/writable.ts";
import type { CommandLine } from "../command.ts";
import { textValue } from "./option_values.ts";
import type { Problems } from "./problems.ts";

/** The file, or undefined; one that cannot be written is a problem. */
export async function learnedOption(
  options: CommandLine["options"],
  problems: Problems,
): Promise<string | undefined> {
  const output = textValue(options.learned);
  if (output === undefined) return undefined;
  const problem = await writableProblem(output);
  if (problem !== undefined) problems.add(`--learned: cannot write ${output}: ${problem}`);
  return output;
}
