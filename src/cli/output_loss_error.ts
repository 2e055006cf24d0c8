/** Output that could not be written is an error of the command, whatever else it came to. */
import { PthError } from "../core/errors.ts";
import { isNoSpace } from "../platform/files.ts";
import { flushOutputs, outputFailures } from "../platform/terminal.ts";
import type { CommandContext } from "./command.ts";
import { renderTerminalError } from "./render_terminal_error.ts";

/** Tells it where that is still possible. @returns the exit code: a success of which nothing can be read is none */
export async function outputLossError(
  exitCode: number,
  { stderr }: Pick<CommandContext, "stderr">,
): Promise<number> {
  const lost = [...outputFailures()];
  if (lost.length === 0) return exitCode;
  for (const [name, cause] of lost) {
    const full = isNoSpace(cause);
    const state = full ? "the disk that it goes to is full" : cause.message;
    const error = new PthError(full ? "DISK_FULL" : "INTERNAL", `Cannot write to ${name}: ${state}`, {
      output: cause.message,
      next: [`Send ${name} elsewhere, or make room`, "Reports can go into files: --reporter json:FILE"],
    }, { cause });
    stderr.write(renderTerminalError(error, { colour: stderr.colour, debug: false }));
  }
  await flushOutputs();
  return exitCode === 0 ? 3 : exitCode;
}
