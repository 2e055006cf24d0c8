/**
 * Renders Markdown of agents: headings, lists, quotes, tables, code, emphasis and links. Texts are hostile: HTML in them is
 * text, pictures are links, links lead to web pages alone and tell their host, nesting is bounded, and the time grows as the
 * text does. Libraries were measured: 8000 characters of brackets or emphasis take some of them seconds.
 */
import { emptyMarkup, type Markup, markup, trustedMarkup } from "../../../testing/reporters/html/markup.ts";
import { highlightedText, type Language } from "./highlighted_text.ts";

/** Lists and quotes within each other; what is deeper is text. */
const deepest = 6;
/** Characters of a text for each element: dense marks beyond that stay as they are written. */
const charactersOfElement = 6;
const mostColumns = 30;

/** Elements that may still be made. */
interface Budget {
  left: number;
}

export function renderedMarkdown(text: string): Markup {
  const budget: Budget = { left: Math.ceil(text.length / charactersOfElement) + 4 };
  return markup`${blocksOf(text.replaceAll("\r\n", "\n").split("\n"), 0, budget)}`;
}

const fence = /^ {0,3}(`{3,}|~{3,})[ \t]*([\w+-]{0,30})/;
const heading = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const quote = /^ {0,3}> ?/;
const item = /^([ \t]{0,40})([-*+]|\d{1,9}[.)])(?:[ \t]+(.*))?$/;
const isBlank = (line: string): boolean => line.trim() === "";
const isRule = (line: string): boolean => /^(?:-{3,}|\*{3,}|_{3,})$/.test(line.replaceAll(/[ \t]/g, ""));

/** Block at the beginning of some lines, and the number of lines that it takes. */
interface Block {
  lines: number;
  block: Markup;
}

function blocksOf(lines: readonly string[], depth: number, budget: Budget): Markup[] {
  const blocks: Markup[] = [];
  for (let at = 0; at < lines.length;) {
    if (isBlank(lines[at]!)) {
      at++;
      continue;
    }
    if (budget.left-- <= 0) {
      blocks.push(markup`<pre class="block">${lines.slice(at).join("\n")}</pre>`);
      break;
    }
    const found = blockAt(lines, at, depth, budget);
    blocks.push(found.block);
    at += found.lines;
  }
  return blocks;
}

function blockAt(lines: readonly string[], at: number, depth: number, budget: Budget): Block {
  const line = lines[at]!;
  const [, ticks, word = ""] = fence.exec(line) ?? [];
  if (ticks !== undefined) return codeBlock(lines, at, ticks, word);
  const [, marks, title] = heading.exec(line) ?? [];
  if (marks !== undefined) {
    return { lines: 1, block: headingOf(marks.length, inlineOf(title!.trim(), 0, budget)) };
  }
  if (isRule(line)) return { lines: 1, block: trustedMarkup("<hr>") };
  if (depth < deepest && quote.test(line)) return quoteBlock(lines, at, depth, budget);
  if (depth < deepest && item.test(line)) return listBlock(lines, at, depth, budget);
  if (isTable(lines, at)) return tableBlock(lines, at, budget);
  let end = at + 1;
  while (end < lines.length && !beginsBlock(lines, end, depth)) end++;
  const text = lines.slice(at, end).map((each) => each.replace(/^[ \t]+/, "")).join("\n");
  return { lines: end - at, block: markup`<p>${inlineOf(text, 0, budget)}</p>\n` };
}

/** Whether a line ends the paragraph before it. */
const beginsBlock = (lines: readonly string[], at: number, depth: number): boolean =>
  isBlank(lines[at]!) || fence.test(lines[at]!) || heading.test(lines[at]!) || isRule(lines[at]!) ||
  (depth < deepest && (quote.test(lines[at]!) || item.test(lines[at]!))) || isTable(lines, at);

/** The page has headings of its own above. */
const headingOf = (level: number, text: Markup): Markup =>
  level === 1
    ? markup`<h4>${text}</h4>\n`
    : level === 2
    ? markup`<h5>${text}</h5>\n`
    : markup`<h6>${text}</h6>\n`;

const languages: Readonly<Record<string, Language>> = {
  json: "json",
  sh: "shell",
  bash: "shell",
  shell: "shell",
  console: "shell",
};

/** A fence without an end holds all that follows. */
function codeBlock(lines: readonly string[], at: number, ticks: string, word: string): Block {
  let end = at + 1;
  while (end < lines.length && !isEndOf(ticks, lines[end]!)) end++;
  const code = lines.slice(at + 1, end).join("\n");
  const name = word.toLowerCase();
  const language = Object.hasOwn(languages, name) ? languages[name]! : "text";
  return {
    lines: end - at + 1,
    block: markup`<pre class="block" tabindex="0">${highlightedText(code, language)}</pre>\n`,
  };
}

const isEndOf = (ticks: string, line: string): boolean => {
  const text = line.trim();
  return text.length >= ticks.length && text === ticks[0]!.repeat(text.length);
};

function quoteBlock(lines: readonly string[], at: number, depth: number, budget: Budget): Block {
  let end = at;
  while (end < lines.length && quote.test(lines[end]!)) end++;
  const own = lines.slice(at, end).map((line) => line.replace(quote, ""));
  return { lines: end - at, block: markup`<blockquote>${blocksOf(own, depth + 1, budget)}</blockquote>\n` };
}

const indentOf = (line: string): number => /^[ \t]*/.exec(line)![0].replaceAll("\t", "    ").length;

/** Items of one kind at one indentation; what is indented further belongs to the item above. */
function listBlock(lines: readonly string[], at: number, depth: number, budget: Budget): Block {
  const indent = indentOf(lines[at]!);
  const [, , firstMark] = item.exec(lines[at]!)!;
  const isOrdered = /\d/.test(firstMark!);
  const items: Markup[] = [];
  let end = at;
  while (end < lines.length && budget.left > 0) {
    const [, , mark, text = ""] = item.exec(lines[end]!) ?? [];
    if (mark === undefined || indentOf(lines[end]!) !== indent || /\d/.test(mark) !== isOrdered) break;
    const own = [text];
    end++;
    for (; end < lines.length; end++) {
      const line = lines[end]!;
      const isInside = isBlank(line)
        ? end + 1 < lines.length && !isBlank(lines[end + 1]!) && indentOf(lines[end + 1]!) > indent
        : indentOf(line) > indent || !beginsBlock(lines, end, depth);
      if (!isInside) break;
      own.push(withoutIndent(line, indent + mark.length + 1));
    }
    budget.left--;
    items.push(markup`<li>${itemOf(own, depth, budget)}</li>\n`);
    while (end + 1 < lines.length && isBlank(lines[end]!) && item.test(lines[end + 1]!)) end++;
  }
  const start = isOrdered ? Number.parseInt(firstMark!) : 1;
  const block = isOrdered ? markup`<ol start="${start}">${items}</ol>\n` : markup`<ul>${items}</ul>\n`;
  return { lines: Math.max(1, end - at), block };
}

const withoutIndent = (line: string, most: number): string => {
  const text = line.trimStart();
  return " ".repeat(Math.max(0, indentOf(line) - most)) + text;
};

/** The first lines stand without a paragraph, so that lists are narrow. */
function itemOf(lines: readonly string[], depth: number, budget: Budget): Markup {
  const rest = lines.findIndex((_, at) => at > 0 && beginsBlock(lines, at, depth + 1));
  const first = lines.slice(0, rest === -1 ? lines.length : rest);
  const isText = !beginsBlock(first, 0, depth + 1);
  if (!isText) return markup`${blocksOf(lines, depth + 1, budget)}`;
  const text = first.join("\n").replace(/^\[([ xX])\] /, (_, mark: string) => mark === " " ? "☐ " : "☑ ");
  return markup`${inlineOf(text, 0, budget)}${
    rest === -1 ? emptyMarkup : blocksOf(lines.slice(rest), depth + 1, budget)
  }`;
}

const cellsOf = (line: string): string[] => {
  const cells = line.trim().split("|", mostColumns + 2).map((cell) => cell.trim());
  if (cells[0] === "") cells.shift();
  if (cells.at(-1) === "") cells.pop();
  return cells.slice(0, mostColumns);
};

const isTable = (lines: readonly string[], at: number): boolean => {
  const next = lines[at + 1];
  if (next === undefined || !lines[at]!.includes("|") || !next.includes("|")) return false;
  const marks = cellsOf(next);
  return marks.length > 0 && marks.every((mark) => /^:?-+:?$/.test(mark));
};

function tableBlock(lines: readonly string[], at: number, budget: Budget): Block {
  const head = cellsOf(lines[at]!);
  const rows: Markup[] = [];
  let end = at + 2;
  for (; end < lines.length && lines[end]!.includes("|") && budget.left > 0; end++) {
    const cells = cellsOf(lines[end]!).slice(0, head.length);
    budget.left -= cells.length;
    rows.push(markup`<tr>${cells.map((cell) => markup`<td>${inlineOf(cell, 0, budget)}</td>`)}</tr>\n`);
  }
  return {
    lines: end - at,
    block: markup`<div class="wide"><table><thead><tr>${
      head.map((cell) => markup`<th>${inlineOf(cell, 0, budget)}</th>`)
    }</tr></thead>
<tbody>${rows}</tbody></table></div>\n`,
  };
}

/** Each part is bounded and excludes its own mark, so that no text makes the search slow. */
const inline =
  /(?<hard>(?<! ) {2,}\n|\\\n)|\\(?<escaped>[!-/:-@[-`{-~])|(?<ticks>`{1,3})(?<code>[^`]{1,500})\k<ticks>(?!`)|!?\[(?<label>[^[\]]{0,300})\]\((?<target>[^()\s<>]{1,1000})(?:[ \t]+"[^"\n]{0,200}")?\)|(?<address>https?:\/\/[^\s<>"'`()[\]{}|\\^]{1,1000})|\*\*(?=\S)(?<strong>[^*]{1,500})(?<=\S)\*\*|(?<![\w*])\*(?=\S)(?<em>[^*]{1,300})(?<=\S)\*(?![\w*])|(?<![\w_])_(?=\S)(?<under>[^_]{1,300})(?<=\S)_(?![\w_])|~~(?=\S)(?<gone>[^~]{1,300})(?<=\S)~~/g;

function inlineOf(text: string, depth: number, budget: Budget): Markup {
  const pieces: (Markup | string)[] = [];
  let end = 0;
  for (const match of text.matchAll(inline)) {
    if (budget.left <= 0) break;
    budget.left--;
    pieces.push(text.slice(end, match.index), partOf(match, depth, budget));
    end = match.index + match[0].length;
  }
  return markup`${[...pieces, text.slice(end)]}`;
}

function partOf({ 0: whole, groups = {} }: RegExpMatchArray, depth: number, budget: Budget): Markup | string {
  const { hard, escaped, code, label, target, address, strong, em, under, gone } = groups;
  const within = (inner: string) => depth < 3 ? inlineOf(inner, depth + 1, budget) : markup`${inner}`;
  if (hard !== undefined) return trustedMarkup("<br>\n");
  if (escaped !== undefined) return escaped;
  if (code !== undefined) return markup`<code>${code.trim() === "" ? code : code.trim()}</code>`;
  if (target !== undefined) return linkOf(target, label!) ?? whole;
  if (address !== undefined) return addressOf(address);
  if (strong !== undefined) return markup`<strong>${within(strong)}</strong>`;
  if (gone !== undefined) return markup`<del>${within(gone)}</del>`;
  return markup`<em>${within(em ?? under!)}</em>`;
}

/** A full stop at its end is that of the sentence. */
function addressOf(address: string): Markup | string {
  const bare = address.replace(/[.,;:!?]{1,9}$/, "");
  return markup`${linkOf(bare, bare) ?? bare}${address.slice(bare.length)}`;
}

/** A link with the host that it leads to, where its text does not tell; undefined for one that leads to no web page. */
function linkOf(target: string, label: string): Markup | undefined {
  const url = URL.canParse(target) ? new URL(target) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  const text = label.trim() === "" ? target : label;
  const told = text.includes(url.host) ? emptyMarkup : markup` <small>(${url.host})</small>`;
  return markup`<a href="${url.href}" rel="noopener noreferrer">${text}</a>${told}`;
}
