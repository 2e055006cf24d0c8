/** Options that call destructive tools, or do not, wherever their calls land. */
import type { Command } from "commander";

/** @param what Completes "also …": what is done with those tools. */
export const addDestructiveOptions = (command: Command, what = ""): Command =>
  command
    .option(
      "--include-destructive",
      `also ${what}tools annotated destructive or open-world, wherever the server runs`,
    )
    .option(
      "--exclude-destructive",
      "never those (default: destructive ones in an isolated environment, open-world ones there without secrets)",
    );

/** True or false where an option decides it; undefined leaves it to the environment. */
export const readDestructive = (options: Record<string, unknown>): boolean | undefined =>
  options.includeDestructive === true ? true : options.excludeDestructive === true ? false : undefined;
