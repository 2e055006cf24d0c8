/** Source text as a tree of plain nodes: what tree-sitter parsed, without its handles into wasm memory. */
import type { Language, Parser, TreeCursor } from "web-tree-sitter";
import { packageFile } from "../../platform/own_files.ts";

export type SourceLanguage = "typescript" | "javascript" | "python" | "rust" | "go";

export interface SyntaxNode {
  /** Type in the grammar, for example `call_expression`; for punctuation the text itself. */
  type: string;
  /** Name under which its parent holds it, for example `arguments`. */
  field: string | undefined;
  named: boolean;
  text: string;
  /** From 1. */
  line: number;
  endLine: number;
  children: SyntaxNode[];
}

const grammars: Record<string, { language: SourceLanguage; wasm: string }> = {
  ts: { language: "typescript", wasm: "tree-sitter-typescript/tree-sitter-typescript.wasm" },
  tsx: { language: "typescript", wasm: "tree-sitter-typescript/tree-sitter-tsx.wasm" },
  js: { language: "javascript", wasm: "tree-sitter-javascript/tree-sitter-javascript.wasm" },
  py: { language: "python", wasm: "tree-sitter-python/tree-sitter-python.wasm" },
  rs: { language: "rust", wasm: "tree-sitter-rust/tree-sitter-rust.wasm" },
  go: { language: "go", wasm: "tree-sitter-go/tree-sitter-go.wasm" },
};

const libraryWasm = "web-tree-sitter/web-tree-sitter.wasm";

/** Files of packages that this module reads, as `name/path`. */
export const grammarFiles: string[] = [libraryWasm, ...Object.values(grammars).map(({ wasm }) => wasm)];

/** `mts`, `cjs`, `jsx` … are read by the grammar of the plain ending. */
const grammarOf = (path: string) => {
  const ending = /\.([a-z]+)$/.exec(path)?.[1] ?? "";
  return grammars[ending] ?? grammars[ending.replace(/^[cm]|(?<=^js)x$/g, "")];
};

/** The language of a file by its ending; undefined for one that is not analysed. */
export const languageOf = (path: string): SourceLanguage | undefined => grammarOf(path)?.language;

/** The tree of a file, or undefined for a language that is not analysed. Each grammar is loaded once, when it is needed. */
export async function parseSource(path: string, text: string): Promise<SyntaxNode | undefined> {
  const grammar = grammarOf(path);
  if (grammar === undefined) return undefined;
  const parser = await (parsers[grammar.wasm] ??= parserFor(grammar.wasm));
  const tree = parser.parse(text);
  if (tree === null) return undefined;
  const cursor = tree.walk();
  try {
    return plain(cursor, text);
  } finally {
    cursor.delete();
    tree.delete();
  }
}

const parsers: Record<string, Promise<Parser>> = {};
let library: Promise<typeof import("web-tree-sitter")> | undefined;

async function parserFor(wasm: string): Promise<Parser> {
  const { Language, Parser } = await (library ??= loadLibrary());
  const language: Language = await Language.load(packageFile(wasm));
  const parser = new Parser();
  parser.setLanguage(language);
  return parser;
}

async function loadLibrary(): Promise<typeof import("web-tree-sitter")> {
  const library = await import("web-tree-sitter");
  await library.Parser.init({ locateFile: () => packageFile(libraryWasm) });
  return library;
}

/** Deepest level that is read: nobody writes deeper, and generated code must not exhaust the stack. */
const deepest = 300;

function plain(cursor: TreeCursor, source: string, depth = 0): SyntaxNode {
  const node: SyntaxNode = {
    type: cursor.nodeType,
    field: cursor.currentFieldName ?? undefined,
    named: cursor.nodeIsNamed,
    text: source.slice(cursor.startIndex, cursor.endIndex),
    line: cursor.startPosition.row + 1,
    endLine: cursor.endPosition.row + 1,
    children: [],
  };
  if (depth < deepest && cursor.gotoFirstChild()) {
    do node.children.push(plain(cursor, source, depth + 1)); while (cursor.gotoNextSibling());
    cursor.gotoParent();
  }
  return node;
}

/** The child under a field's name. */
export const namedChild = (node: SyntaxNode | undefined, field: string): SyntaxNode | undefined =>
  node?.children.find((each) => each.field === field);

const comments = new Set(["comment", "line_comment", "block_comment"]);

/** Children that are no punctuation and no comments. */
export const namedChildren = (node: SyntaxNode | undefined): SyntaxNode[] =>
  node?.children.filter(({ named, type }) => named && !comments.has(type)) ?? [];

/** The node and everything below it, in the order of the text. */
export function* descendants(node: SyntaxNode): Generator<SyntaxNode> {
  const open = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next;
    for (let at = next.children.length - 1; at >= 0; at--) open.push(next.children[at]!);
  }
}

const stringTypes = new Set([
  "string",
  "template_string",
  "string_literal",
  "raw_string_literal",
  "interpreted_string_literal",
]);
const pieceTypes =
  /^(?:string_fragment|string_content|interpreted_string_literal_content|raw_string_literal_content)$/;

/** Literal pieces of a string; what stands between them is computed or escaped. Undefined for what is no string. */
export function stringPieces(node: SyntaxNode | undefined): string[] | undefined {
  if (node === undefined || !stringTypes.has(node.type)) return undefined;
  return node.children.filter(({ type }) => pieceTypes.test(type)).map(({ text }) => text);
}

/** The value of a string without anything computed or escaped in it. */
export function plainString(node: SyntaxNode | undefined): string | undefined {
  const pieces = stringPieces(node);
  if (pieces === undefined || pieces.length > 1) return undefined;
  const bare = namedChildren(node).every(({ type }) =>
    pieceTypes.test(type) || /^string_(?:start|end)$/.test(type)
  );
  return bare ? pieces[0] ?? "" : undefined;
}
