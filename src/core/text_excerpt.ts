/** Values in messages: quoted, on one line, and never longer than a person reads. */

/** Any value as JSON on one line, cut to `max` characters with the full length named. */
export function textExcerpt(value: unknown, max = 300): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value) ?? String(value);
  return text.length <= max ? text : `${text.slice(0, max)}… (${text.length} characters)`;
}

/** Free text on one line without quotes, cut to `max` characters. */
export function oneLine(text: string, max = 200): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length <= max ? line : `${line.slice(0, max)}…`;
}

/** The last lines of a log, indented, or "" when there is nothing. */
export function indentedTail(text: string, lines = 20): string {
  const kept = text.trimEnd().split("\n").slice(-lines);
  return text.trim() === "" ? "" : kept.map((line) => `    ${line.slice(0, 500)}`).join("\n");
}
