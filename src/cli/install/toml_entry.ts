/** Entries of TOML files: one table each, written whole; lines outside of it are never touched. */
import { parse, stringify, TomlError } from "smol-toml";
import { escapePattern, firstLine } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";
import { type EntryEditor, SyntaxProblem } from "./entry_editor.ts";

export const tomlEntry: EntryEditor = {
  parse(text) {
    try {
      return plainTables(parse(text.replace(/^\ufeff/, ""), { integersAsBigInt: "asNeeded" }));
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      const message = `not valid TOML: ${firstLine(error.message.replace("Invalid TOML document: ", ""))}`;
      throw new SyntaxProblem(message, error.line, error.column, { cause: error });
    }
  },
  place(text, [table, name]) {
    const lines = text.split("\n");
    const own = name === undefined ? -1 : lines.findIndex((line) => headerOf([table!, name]).test(line));
    const line = own < 0 ? lines.findIndex((line) => line.includes(table ?? "")) : own;
    return { line: Math.max(0, line) + 1, column: 1 };
  },
  set(text, path, entry) {
    const end = text.includes("\r\n") ? "\r" : "";
    const block = stringify({ [path[0]]: { [path[1]]: entry } }).trim().split("\n").map((line) => line + end);
    const lines = text.split("\n");
    const [first, ...others] = ownBlocks(lines, path);
    if (first === undefined) {
      const gap = /^\ufeff?$/.test(text) ? "" : text.endsWith("\n") ? `${end}\n` : `${end}\n${end}\n`;
      return `${text}${gap}${block.join("\n")}\n`;
    }
    const [header, ...rest] = block;
    const comments = [first, ...others].flatMap((own) => lines.slice(own.start, own.end))
      .filter((line) => /^\s*#/.test(line));
    removeBlocks(lines, others);
    lines.splice(first.start, first.end - first.start, header!, ...comments, ...rest);
    return lines.join("\n");
  },
  remove(text, path) {
    const lines = text.split("\n");
    removeBlocks(lines, ownBlocks(lines, path));
    return lines.join("\n");
  },
};

/** The parser's tables have no prototype, and so are equal to no other object. */
function plainTables(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainTables);
  if (!isObject(value) || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainTables(inner)]));
}

/** Lines from `start` up to, not including, `end`. */
interface LineBlock {
  start: number;
  end: number;
}

/** A key as TOML writes it, plain or quoted. */
const keyPattern = (key: string): string => {
  const plain = escapePattern(key);
  return `(?:${plain}|"${plain}"|'${plain}')`;
};

/** Head line of the entry's table, and of tables within it. */
const headerOf = (path: readonly string[]): RegExp => {
  const keys = path.map(keyPattern).join(String.raw`\s*\.\s*`);
  return new RegExp(String.raw`^\s*\[\s*${keys}\s*(?:\.[^\]]*)?\]\s*(?:#.*)?$`);
};

/**
 * Lines of the entry's tables, without the blank lines and comments behind, which belong to what follows. A line within a
 * text of several lines may look like a head line: what comes of that does not read back as it should, and is refused.
 */
function ownBlocks(lines: readonly string[], path: readonly string[]): LineBlock[] {
  const header = headerOf(path);
  const blocks: LineBlock[] = [];
  for (let start = 0; start < lines.length; start++) {
    if (!header.test(lines[start]!)) continue;
    let end = start + 1;
    while (end < lines.length && !/^\s*\[/.test(lines[end]!)) end++;
    while (end > start + 1 && /^\s*(?:#.*)?$/.test(lines[end - 1]!)) end--;
    blocks.push({ start, end });
  }
  return blocks;
}

/** Removes blocks with the blank line before each. */
function removeBlocks(lines: string[], blocks: readonly LineBlock[]): void {
  for (const { start, end } of blocks.toReversed()) {
    const gap = start > 0 && lines[start - 1]!.trim() === "" ? 1 : 0;
    lines.splice(start - gap, end - start + gap);
  }
}
