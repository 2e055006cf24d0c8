/** Reports output that could not be written, which is an error of every command. */
import { PthError } from "../core/errors.ts";
import { isNoSpace } from "../platform/files.ts";
import { flushOutputs, outputFailures } from "../platform/terminal.ts";
import type { CommandContext } from "./command.ts";
import { renderTerminalError } from "./render_terminal_error.ts";

/** Prints an error for each lost output. @returns the exit code: 3 in place of 0 if output was lost */
export async function outputLossError(
  exitCode: number,
  { stderr }: Pick<CommandContext, "stderr">,
): Promise<number> {
  const lost = [...outputFailures()];
  if (lost.length === 0) return exitCode;
  for (const [name, cause] of lost) {
    const full = isNoSpace(cause);
    const state = full ? "its disk is full" : cause.message;
    const error = new PthError(full ? "DISK_FULL" : "INTERNAL", `Cannot write to ${name}: ${state}`, {
      output: cause.message,
      next: [`Redirect ${name}, or free disk space`, "Reports can go into files: --reporter json:FILE"],
    }, { cause });
    stderr.write(renderTerminalError(error, { colour: stderr.colour, debug: false }));
  }
  await flushOutputs();
  return exitCode === 0 ? 3 : exitCode;
}
