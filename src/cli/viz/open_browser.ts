/** Shows an address to whoever sits here. */
import { errorMessage } from "../../core/errors.ts";
import { spawnProcess } from "../../platform/process.ts";
import type { CommandContext } from "../command.ts";

/** The command that opens an address, or undefined where there is no display. */
export function openerOf(env: CommandContext["env"], isMac: boolean): string | undefined {
  if (isMac) return "open";
  return env("DISPLAY") || env("WAYLAND_DISPLAY") ? "xdg-open" : undefined;
}

/** A desktop without such a command is no failure: the address is printed. */
export async function openBrowser(
  opener: string,
  address: string,
  stderr: CommandContext["stderr"],
): Promise<void> {
  try {
    // A browser that it starts lives on without the viewer.
    const child = await spawnProcess([opener, address], { ownGroup: true });
    for (const stream of [child.stdout, child.stderr]) stream.resume();
  } catch (error) {
    stderr.write(`The browser was not opened: ${errorMessage(error)}\n`);
  }
}
