/**
 * Reads a guest's output on its serial port, and what it says of the guest's end. Pure but for reading the
 * file.
 */
import { readTextIfExists } from "../../platform/files.ts";

const textOf = async (file: string): Promise<string> => await readTextIfExists(file) ?? "";

/** Last lines of the console without what only a terminal understands; after a panic, of that the first lines. */
export const consoleTail = async (file: string, lines = 40): Promise<string> =>
  tailOf(await textOf(file), lines);

/**
 * Reason why the machine of this console ended, from all of its output: the trace of a panic may be longer
 * than a tail.
 */
export const endOn = async (file: string): Promise<string | undefined> =>
  shutdownReason(plain(await textOf(file)));

// deno-lint-ignore no-control-regex
const plain = (text: string): string => text.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]|\u001bc|\r/g, "");

/** The trace of a panic may be longer than so many lines: why it panicked stands before it. */
export function tailOf(text: string, lines: number): string {
  const all = plain(text).trimEnd().split("\n");
  const end = all.slice(-lines);
  const panic = all.findLastIndex((line) => line.includes(panicWords));
  const isShown = panic >= all.length - lines;
  const isOver = panic < all.lastIndexOf(resumeReason);
  return (panic === -1 || isShown || isOver ? end : all.slice(panic, panic + lines)).join("\n");
}

const panicWords = "Kernel panic - not syncing: ";

/** Between what a machine said before it ended and what it says since a snapshot brought it back. */
export const resumeReason = "--- brought back by a snapshot ---";

/** Reason why a machine ended, as far as its console shows; undefined where it shows no end. */
export function shutdownReason(text: string): string | undefined {
  const console = text.slice(text.lastIndexOf(resumeReason) + 1); // earlier ends are over
  const panic = console.match(new RegExp(`${panicWords}(.*)`))?.[1];
  if (panic !== undefined) return `its kernel panicked: ${panic.trim()}`;
  if (/reboot: Restarting system|reboot: machine restart/.test(console)) {
    return "it was rebooted from inside, and what ran in it is lost";
  }
  if (/reboot: Power down|reboot: System halted/.test(console)) return "it was switched off from inside";
  return undefined;
}
