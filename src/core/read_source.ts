/** YAML and JSON text as plain values that remember where each part was written. */
import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  parseAllDocuments,
  type ScalarTag,
} from "yaml";
import { firstLine } from "./text.ts";
import type { Problem } from "./problems.ts";
import { type QuickDocument, quickDocuments } from "./quick_documents.ts";
import { valueAt } from "./values.ts";

/** Longest file that is read, in characters: some ten thousand tests. */
export const maxLength = 4_000_000;

/** Message of the library for a document too deep for its own recursion. */
const stackEnd = "Maximum call stack size exceeded";

export type Path = readonly (string | number)[];

/** One document of a file. */
export interface SourceDocument {
  value: unknown;
  /** Line and column (from 1) of the value at a path, or of the nearest part of it that exists. */
  place(path: Path): { line: number; column: number };
  /** Line and column of a key within the map at a path. */
  placeOfKey(path: Path, key: string): { line: number; column: number };
}

interface YamlSource {
  documents: SourceDocument[];
  problems: Problem[];
}

/**
 * Reads all documents of a file: a simple text the quick way, and with the parser only where a place within it is asked
 * for; any other, and every one with a mistake, with the parser. A document with syntax errors gives problems and no value; one with duplicate keys
 * only gives both, so that its other mistakes show in the same run.
 * @param customTags What scalars with other tags than YAML's become.
 */
export function readSource(file: string, text: string, customTags: ScalarTag[] = []): YamlSource {
  if (text.length > maxLength) {
    const message = `expected a file of at most ${
      maxLength / 1_000_000
    } million characters, this has ${text.length}`;
    return { documents: [], problems: [{ file, line: 1, column: 1, message }] };
  }
  const limits = { tokens: maxTokens, values: maxValues, depth: maxDepth };
  const quick = customTags.length > 0 ? undefined : quickDocuments(text, file.endsWith(".json"), limits);
  return quick === undefined ? readCarefully(file, text, customTags) : quickSource(file, text, quick);
}

function quickSource(file: string, text: string, quick: readonly QuickDocument[]): YamlSource {
  let careful: SourceDocument[] | undefined;
  let lines: LineCounter | undefined;
  const documents = quick.map(({ value, starts }, index): SourceDocument => {
    const whole = () => (careful ??= readCarefully(file, text).documents)[index]!;
    return {
      value,
      place(path) {
        const part: unknown = valueAt(value, path);
        const start = isCollectionValue(part) ? starts.get(part) : undefined;
        return start === undefined ? whole().place(path) : placeIn(lines ??= linesOf(text), start);
      },
      placeOfKey: (path, key) => whole().placeOfKey(path, key),
    };
  });
  return { documents, problems: [] };
}

const isCollectionValue = (value: unknown): value is object => typeof value === "object" && value !== null;

function linesOf(text: string): LineCounter {
  const lines = new LineCounter();
  for (let at = 0; at !== -1; at = text.indexOf("\n", at) + 1 || -1) lines.addNewLine(at);
  return lines;
}

function placeIn(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

/** Reads with the parser, which knows the whole language and the place of each part, and takes long. */
export function readCarefully(file: string, text: string, customTags: ScalarTag[] = []): YamlSource {
  const lines = new LineCounter();
  const beyond = brokenTextLimit(text);
  if (beyond !== undefined) {
    const before = text.slice(0, beyond.offset).split("\n");
    const place = { line: before.length, column: before.at(-1)!.length + 1 };
    return { documents: [], problems: [{ file, ...place, message: beyond.message }] };
  }
  const parsed = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    merge: true,
    customTags,
  });
  const documents: SourceDocument[] = [];
  const problems: Problem[] = [];
  const at = (offset: number) => placeIn(lines, offset);
  for (const document of Array.isArray(parsed) ? parsed : []) {
    const deep = document.errors.find(({ message }) => message.includes(stackEnd));
    if (deep !== undefined) {
      problems.push({ file, ...at(deep.pos[0]), message: tooDeep });
      continue;
    }
    const errors = [...document.errors, ...document.warnings];
    for (const error of errors) problems.push({ file, ...at(error.pos[0]), message: syntaxText(error) });
    if (errors.some((error) => error.code !== "DUPLICATE_KEY")) continue;
    const broken = brokenLimit(document);
    if (broken !== undefined) {
      problems.push({ file, ...at(broken.offset), message: broken.message });
      continue;
    }
    const read = sourceDocument(document, at);
    // Nothing stands after a last "---".
    if (read.value !== null) documents.push(read);
  }
  if (file.endsWith(".json") && problems.length === 0) problems.push(...jsonProblems(file, text, at));
  return { documents, problems };
}

function syntaxText(error: { code: string; message: string }): string {
  if (error.code === "DUPLICATE_KEY") return "this key is given twice in the same map";
  return `not valid YAML: ${firstLine(error.message)}`;
}

type At = (offset: number) => { line: number; column: number };

function sourceDocument(document: Document, at: At): SourceDocument {
  return {
    value: document.toJS({ maxAliasCount: -1 }),
    place: (path) => at(walk(document, path).offset),
    placeOfKey: (path, key) => {
      const { node, offset } = walk(document, path);
      const pair = isMap(node) ? node.items.find((item) => keyText(item.key) === key) : undefined;
      return at(rangeStart(pair?.key) ?? offset);
    },
  };
}

const keyText = (key: unknown): string => String(isScalar(key) ? key.value : key);
const rangeStart = (node: unknown): number | undefined => (node as Node | undefined)?.range?.[0];

/** The deepest node along a path that exists, and where it starts. */
function walk(document: Document, path: Path): { node: unknown; offset: number } {
  let node: unknown = document.contents;
  let offset = rangeStart(node) ?? 0;
  for (const segment of path) {
    if (isAlias(node)) node = node.resolve(document);
    const next: unknown = isMap(node)
      ? node.items.find((item) => keyText(item.key) === String(segment))
      : isSeq(node)
      ? node.items[Number(segment)]
      : undefined;
    if (next === undefined) break;
    const pair = next as { key?: unknown; value?: unknown };
    node = isMap(node) ? pair.value : next;
    offset = rangeStart(node) ?? rangeStart(pair.key) ?? offset;
  }
  if (isAlias(node)) node = node.resolve(document);
  return { node, offset };
}

/** YAML reads more than JSON; a `.json` file must be JSON for the other tools that read it. */
function jsonProblems(file: string, text: string, at: At): Problem[] {
  if (text.trim() === "") return [];
  try {
    JSON.parse(text);
    return [];
  } catch (error) {
    const message = (error as Error).message;
    const position = /position (\d+)/.exec(message)?.[1];
    return [{ file, ...at(Number(position ?? 0)), message: `not valid JSON: ${message}` }];
  }
}

/** Most values that a document may come to, each alias counted as all that it stands for. */
const maxValues = 200_000;
/** Deeper than any answer of a tool; recursion over values is safe up to here. */
const maxDepth = 100;
const tooDeep = `expected at most ${maxDepth} nested levels`;

/** Parts of the text; each costs the parser about a kilobyte. */
const maxTokens = 500_000;
/** A shorter text cannot have so many. */
const harmlessLength = 200_000;

interface LimitProblem {
  /** Offset in the text. */
  offset: number;
  message: string;
}

interface Size {
  values: number;
  depth: number;
}

/**
 * Checks the limits of a text before it is parsed: the parser itself would fill the memory. Levels are counted on one
 * line or in brackets; levels by indentation need so much text that the length of a file bounds them.
 */
function brokenTextLimit(text: string): LimitProblem | undefined {
  if (text.length < harmlessLength && !mayBeDeep(text)) return undefined;
  let offset = 0;
  let brackets = 0;
  let indicators = 0;
  let tokens = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === "[" || token === "{") brackets++;
    else if (token === "]" || token === "}") brackets = Math.max(0, brackets - 1);
    else if (token === "-" || token === "?") indicators++;
    else if (token.startsWith("\n")) indicators = 0;
    if (brackets > maxDepth || indicators > maxDepth) return { offset, message: tooDeep };
    if (++tokens > maxTokens) return { offset, message: "expected a smaller file: split it here" };
    if (!marks.has(token)) offset += token.length;
  }
  return undefined;
}

/** The lexer's own, no part of the text: a document, the end of a flow, a scalar. */
const marks: ReadonlySet<string> = new Set(["\u0002", "\u0018", "\u001f"]);

/** A quick look that errs on the side of yes: it counts within texts and comments as well. */
function mayBeDeep(text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) open++;
    else if ((code === 0x5d || code === 0x7d) && open > 0) open--;
    if (open > maxDepth) return true;
  }
  return /(?:[-?][ \t]+){100}/.test(text);
}

/** The first place where a document breaks a limit, if any. */
function brokenLimit(document: Document): LimitProblem | undefined {
  const sizes = new Map<unknown, Size | "in work">();
  // An alias means the latest anchor of its name; the library would search the document again for each.
  const anchors = new Map<string, unknown>();
  let problem: LimitProblem | undefined;
  const complain = (node: unknown, message: string): Size => {
    problem ??= { offset: (node as Node | null)?.range?.[0] ?? 0, message };
    return { values: 1, depth: 1 };
  };

  function measure(node: unknown, depth: number): Size {
    if (problem !== undefined) return { values: 1, depth: 1 };
    if (isAlias(node)) return measureAlias(node, depth);
    const { anchor } = (node ?? {}) as { anchor?: string };
    if (anchor !== undefined) anchors.set(anchor, node);
    const parts = isPair(node) ? [node.key, node.value] : isCollection(node) ? node.items : [];
    if (parts.length === 0) return { values: 1, depth: 1 };
    const known = sizes.get(node);
    if (known === "in work") {
      return complain(node, "an alias stands within what it names: this would never end");
    }
    if (known !== undefined) return known;
    // Pairs stand between a map and its values, and are no level of their own.
    const level = isPair(node) ? 0 : 1;
    if (depth + level > maxDepth) {
      return complain(node, tooDeep);
    }
    sizes.set(node, "in work");
    const size = { values: 1, depth: 0 };
    for (const part of parts) {
      const own = measure(part, depth + level);
      size.values += own.values;
      size.depth = Math.max(size.depth, own.depth + level);
    }
    if (size.values > maxValues) complain(node, bombText);
    sizes.set(node, size);
    return size;
  }

  function measureAlias(alias: Alias, depth: number): Size {
    const target = anchors.get(alias.source);
    if (target === undefined) return complain(alias, "an alias names nothing that came before it");
    if (sizes.get(target) === "in work") {
      return complain(alias, "an alias stands within what it names: this would never end");
    }
    const size = measure(target, depth);
    if (size.values > maxValues) return complain(alias, bombText);
    if (depth + size.depth > maxDepth) {
      return complain(alias, tooDeep);
    }
    return size;
  }

  const whole = measure(document.contents, 0);
  return problem ?? (whole.values > maxValues ? { offset: 0, message: bombText } : undefined);
}

const bombText =
  `expected at most ${maxValues} values, each alias counted as all that it stands for; this comes to more`;
