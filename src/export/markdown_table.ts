/** Text from plugins and tests, made safe within Markdown. */

/** One line without meaning to Markdown tables, HTML or comments. */
export const cell = (text: string): string =>
  text.replaceAll(/\s*\n\s*/g, " ").replaceAll("|", "\\|").replaceAll("<", "&lt;").trim();

/** A table; cells are made safe. */
export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

/** A code block whose fence is longer than any in the text. */
export function fencedText(text: string, language = ""): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
