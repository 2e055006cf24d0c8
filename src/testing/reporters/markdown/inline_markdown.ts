/** Texts from servers and files within Markdown, where they mean nothing but themselves. */
import { plainLine, stripEscapes } from "../../../core/text.ts";

/** One line, fit for a table's cell. */
export const inlineMarkdown = (text: string, most = 300): string => {
  const line = plainLine(text);
  const cut = line.length > most ? `${line.slice(0, most)}…` : line;
  return cut.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replace(/[\\`*_{}[\]()#|~!@$>]|(?<=:)\/(?=\/)|(?<=\bwww)\./gi, "\\$&");
};

/** Lines in a block of code, whose fence is longer than any in the text. */
export function inlineCode(text: string, most = 2000): string {
  const lines = stripEscapes(text).trimEnd();
  const cut = lines.length > most
    ? `${lines.slice(0, most)}\n… ${lines.length - most} more characters`
    : lines;
  const longest = Math.max(2, ...(cut.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${cut}\n${fence}`;
}

/** A table; its cells must be safe already. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
