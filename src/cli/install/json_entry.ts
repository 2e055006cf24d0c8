/** Entries of JSON files, with comments and trailing commas where the agent takes them. */
import {
  evaluate,
  type MemberNode,
  type ObjectNode,
  parse,
  type Token,
  type ValueNode,
} from "@humanwhocodes/momoa";
import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../core/values.ts";
import { type EntryEditor, SyntaxProblem } from "./entry_editor.ts";

/** A piece of text in the place of another. */
interface Edit {
  start: number;
  end: number;
  text: string;
}

interface ParsedJson {
  value: unknown;
  body: ValueNode;
  tokens: readonly Token[];
}

const byteOrderMark = "\ufeff";

/** @param strict The agent reads plain JSON only. */
export const jsonEntry = ({ strict }: { strict: boolean }): EntryEditor => ({
  parse: (text) => isBlank(text) ? {} : read(text, strict).value,
  place(text, path) {
    if (isBlank(text)) return { line: 1, column: 1 };
    let { body: node } = read(text, strict);
    for (const key of path) {
      const member = memberNamed(node, key);
      if (member === undefined) break;
      node = member.value;
    }
    const { line, column } = node.loc.start;
    return { line, column };
  },
  set(text, path, entry) {
    let edited = isBlank(text) ? `${mark(text)}{}\n` : text;
    const written = read(edited, strict).value;
    const table = isObject(written) ? written[path[0]] : undefined;
    const there = isObject(table) ? table[path[1]] : undefined;
    // One key after the other: comments between the others stay.
    if (!isObject(there)) return setValue(edited, path, entry, strict);
    for (const [key, value] of Object.entries(entry)) {
      if (!isDeepStrictEqual(there[key], value)) edited = setValue(edited, [...path, key], value, strict);
    }
    return edited;
  },
  remove: (text, path) => removeMember(text, path, strict),
});

const isBlank = (text: string): boolean => text.replace(byteOrderMark, "").trim() === "";
const mark = (text: string): string => text.startsWith(byteOrderMark) ? byteOrderMark : "";

/** The last two texts: an edit looks at what it was and at what it becomes several times, and either may have megabytes. */
let latest: { text: string; strict: boolean; parsed: ParsedJson }[] = [];

function read(text: string, strict: boolean): ParsedJson {
  const known = latest.find((one) => one.text === text && one.strict === strict);
  if (known !== undefined) return known.parsed;
  const parsed = parsedJson(text, strict);
  latest = [{ text, strict, parsed }, ...latest.slice(0, 1)];
  return parsed;
}

/** Offsets are those of the text: a byte order mark is read as space. */
function parsedJson(text: string, strict: boolean): ParsedJson {
  const plain = mark(text) === "" ? text : ` ${text.slice(1)}`;
  try {
    const { body, tokens = [] } = parse(plain, {
      mode: strict ? "json" : "jsonc",
      ranges: true,
      tokens: true,
      allowTrailingCommas: !strict,
    });
    if (strict) JSON.parse(plain);
    return { value: evaluate(body as never), body, tokens };
  } catch (error) {
    const { message, line, column } = error as Error & { line?: number; column?: number };
    if (error instanceof RangeError) throw new SyntaxProblem("it is nested too deep", 1, 1, { cause: error });
    const at = line === undefined ? placeOfOffset(plain, message) : { line, column: column ?? 1 };
    throw new SyntaxProblem(
      `not valid JSON: ${message.replace(/ \(\d+:\d+\)$/, "")}`,
      at.line,
      at.column,
      { cause: error },
    );
  }
}

/** Engines name an offset in their message, where they name a place at all. */
function placeOfOffset(text: string, message: string): { line: number; column: number } {
  const before = text.slice(0, Number(/position (\d+)/.exec(message)?.[1] ?? 0)).split("\n");
  return { line: before.length, column: before.at(-1)!.length + 1 };
}

const keyOf = ({ name }: MemberNode): string => name.type === "String" ? name.value : name.name;

/** The last one of that name, as JSON is read. */
const memberNamed = (node: ValueNode, key: string): MemberNode | undefined =>
  node.type === "Object" ? node.members.findLast((member) => keyOf(member) === key) : undefined;

const startOf = (node: { loc: { start: { offset: number } } }): number => node.loc.start.offset;
const endOf = (node: { loc: { end: { offset: number } } }): number => node.loc.end.offset;

function setValue(text: string, path: readonly string[], value: unknown, strict: boolean): string {
  const { body, tokens } = read(text, strict);
  let node = body;
  for (const [depth, key] of path.entries()) {
    const member = memberNamed(node, key);
    if (member !== undefined) {
      node = member.value;
      continue;
    }
    const rest = path.slice(depth + 1).reduceRight((inner: unknown, name) => ({ [name]: inner }), value);
    return applied(text, insertion(text, node as ObjectNode, tokens, key, rest));
  }
  const written = rendered(text, value, indentAt(text, startOf(node)), !text.includes("\n"));
  return applied(text, [{ start: startOf(node), end: endOf(node), text: written }]);
}

/** Behind the last member, and behind the comment on its line. */
function insertion(
  text: string,
  node: ObjectNode,
  tokens: readonly Token[],
  key: string,
  value: unknown,
): Edit[] {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const last = node.members.at(-1);
  const outer = indentAt(text, startOf(node));
  if (last === undefined) {
    const inner = outer + indentUnit(text);
    const end = endOf(node) - 1;
    const start = startOf(node) + 1 + text.slice(startOf(node) + 1, end).trimEnd().length;
    const member = `${JSON.stringify(key)}: ${rendered(text, value, inner)}`;
    return [{ start, end, text: `${newline}${inner}${member}${newline}${outer}` }];
  }
  const comma = nextToken(tokens, endOf(last), (token) => token.type === "Comma");
  const added: Edit[] = comma === undefined ? [{ start: endOf(last), end: endOf(last), text: "," }] : [];
  let at = comma === undefined ? endOf(last) : endOf(comma);
  const tail = comma === undefined ? "" : ",";
  if (!text.slice(startOf(node), startOf(last)).includes("\n")) {
    const member = ` ${JSON.stringify(key)}: ${rendered(text, value, "", true)}${tail}`;
    return comma === undefined
      ? [{ start: at, end: at, text: `,${member}` }]
      : [{ start: at, end: at, text: member }];
  }
  const behind = tokens.slice(tokens.findIndex((token) => startOf(token) >= at));
  for (const token of behind) {
    if (!token.type.endsWith("Comment") || text.slice(at, startOf(token)).includes("\n")) break;
    at = endOf(token);
  }
  const inner = indentAt(text, startOf(last));
  const member = `${JSON.stringify(key)}: ${rendered(text, value, inner)}`;
  return [...added, { start: at, end: at, text: `${newline}${inner}${member}${tail}` }];
}

function removeMember(text: string, path: readonly string[], strict: boolean): string {
  const { body, tokens } = read(text, strict);
  let parent = body;
  for (const key of path.slice(0, -1)) parent = memberNamed(parent, key)!.value;
  const { members } = parent as ObjectNode;
  const member = memberNamed(parent, path.at(-1)!)!;
  const index = members.indexOf(member);
  const comma = nextToken(tokens, endOf(member), (token) => token.type === "Comma");
  const end = comma === undefined ? endOf(member) : endOf(comma);
  const edits: Edit[] = [ownLines(text, startOf(member), end)];
  const before = members[index - 1];
  if (comma === undefined && before !== undefined) {
    const separator = nextToken(tokens, endOf(before), (token) => token.type === "Comma")!;
    edits.unshift({ start: startOf(separator), end: endOf(separator), text: "" });
  }
  return applied(text, edits);
}

/** Takes the line break before it along where nothing else stands on its lines: a comment there must not swallow the rest. */
function ownLines(text: string, start: number, end: number): Edit {
  const lead = /(?:\r?\n)?[ \t]*$/.exec(text.slice(0, start))![0];
  const alone = lead.includes("\n") && /^[ \t]*\r?\n/.test(text.slice(end));
  if (alone) return { start: start - lead.length, end, text: "" };
  const space = /^[ \t]*/.exec(text.slice(end))![0];
  return { start, end: end + space.length, text: "" };
}

/** The first token behind a place that is no comment, if it is such a one. */
function nextToken(tokens: readonly Token[], at: number, fits: (token: Token) => boolean): Token | undefined {
  const next = tokens.find((token) => startOf(token) >= at && !token.type.endsWith("Comment"));
  return next !== undefined && fits(next) ? next : undefined;
}

/** Applies edits; of two at one place the first comes first in the text. */
function applied(text: string, edits: readonly Edit[]): string {
  return edits.toReversed().sort((a, b) => b.start - a.start).reduce(
    (edited, { start, end, text: piece }) => edited.slice(0, start) + piece + edited.slice(end),
    text,
  );
}

function rendered(text: string, value: unknown, indent: string, compact = false): string {
  if (compact) return JSON.stringify(value);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  return JSON.stringify(value, undefined, indentUnit(text)).replaceAll("\n", newline + indent);
}

/** White space at the start of the line that a place is on. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*/.exec(line)![0];
}

/** The first indentation of the file: a tab, or some spaces; two where there is none. */
const indentUnit = (text: string): string => /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
