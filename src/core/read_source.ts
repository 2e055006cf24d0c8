/** YAML and JSON text as plain values that remember where each part was written. */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type ScalarTag,
} from "yaml";
import type { Problem } from "./problems.ts";
import { brokenLimit, brokenTextLimit, tooDeep } from "./broken_limit.ts";

/** Longest file that is read, in characters: some ten thousand tests. */
export const maxLength = 4_000_000;

/** How the library tells that a document was too deep for its own recursion. */
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

export interface YamlSource {
  documents: SourceDocument[];
  problems: Problem[];
}

/**
 * Reads all documents of a file. A document with syntax errors gives problems and no value; one with duplicate keys
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
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
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
  return `not valid YAML: ${error.message.split("\n")[0]}`;
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
