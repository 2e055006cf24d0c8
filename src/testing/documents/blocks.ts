/** A Markdown text as the pieces that examples are read from, with their lines. */
import type { Token, Tokens } from "marked";

export interface DocumentBlock {
  kind: "heading" | "paragraph" | "code" | "item" | "table";
  /** From 1, in the document. */
  line: number;
  /** Words of the block; for code the lines between the fences; for a list item without the lists below it. */
  text: string;
  /** Code spans within, in their order. */
  spans: string[];
  /** Word behind the fence of a code block. */
  language?: string;
  /** List that an item belongs to, and whether it is numbered. */
  list?: { id: number; ordered: boolean };
  /** Head and rows of a table, as Markdown. */
  rows?: string[][];
}

/** Blocks in the order of the text. */
export async function documentBlocks(text: string): Promise<DocumentBlock[]> {
  const { marked } = await import("marked");
  const blocks: DocumentBlock[] = [];
  let lists = 0;
  const visit = (tokens: readonly Token[], line: number): void => {
    let at = line;
    for (const token of tokens) {
      add(token, at);
      at += newlines(token.raw);
    }
  };
  const add = (token: Token, line: number): void => {
    if (token.type === "heading" || token.type === "paragraph") {
      blocks.push({
        kind: token.type,
        line,
        text: (token as Tokens.Paragraph).text,
        spans: spansOf(token.raw),
      });
    } else if (token.type === "code") {
      const { text, lang } = token as Tokens.Code;
      blocks.push({ kind: "code", line, text, spans: [], ...(lang ? { language: lang.toLowerCase() } : {}) });
    } else if (token.type === "table") blocks.push(tableBlock(token as Tokens.Table, line));
    else if (token.type === "list") addList(token as Tokens.List, line);
    else if (token.type === "blockquote") visit((token as Tokens.Blockquote).tokens, line);
  };
  const addList = (list: Tokens.List, line: number): void => {
    const id = ++lists;
    let at = line;
    for (const item of list.items) {
      const own = item.tokens.filter(({ type }) => type !== "list" && type !== "code").map(({ raw }) => raw)
        .join("");
      blocks.push({
        kind: "item",
        line: at,
        text: own.trim(),
        spans: spansOf(own),
        list: { id, ordered: list.ordered },
      });
      visit(item.tokens.filter(({ type }) => type === "list" || type === "code"), at + newlines(own));
      at += newlines(item.raw);
    }
  };
  visit(marked.lexer(text), 1);
  return blocks;
}

function tableBlock(table: Tokens.Table, line: number): DocumentBlock {
  const rows = [table.header, ...table.rows].map((row) => row.map((cell) => cell.text));
  return { kind: "table", line, text: table.raw, spans: [], rows };
}

const newlines = (text: string): number => text.split("\n").length - 1;

/** Texts between backticks. */
const spansOf = (text: string): string[] =>
  [...text.matchAll(/(`+)\s?(.+?)\s?\1(?!`)/g)].map(([, , span]) => span!);
