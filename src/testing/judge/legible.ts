/** Cuts a server's words to what is searched for signs of an error: patterns over longer texts may take without end. */

/** In characters: of one line, and of the beginning and the end of a text each. */
const longestLine = 1_000;
const longestPart = 20_000;

/** The text itself where it is of a usual size. */
export function legible(text: string): string {
  const part = text.length <= 2 * longestPart
    ? text
    : `${text.slice(0, longestPart)}\n…\n${text.slice(-longestPart)}`;
  return part.split("\n").map((line) => line.length <= longestLine ? line : `${line.slice(0, longestLine)}…`)
    .join("\n");
}
