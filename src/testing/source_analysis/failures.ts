/** Which statements are answers with an error, and which words of the message are sure. */
import type { SourceScope } from "./source_scope.ts";
import { calledName, callOf, type SourceIndex } from "./source_index.ts";
import { descendants, namedChild, namedChildren, stringPieces, type SyntaxNode } from "./syntax.ts";
import { Throws } from "./values.ts";

/** Fewer characters are in many a message. */
const fewest = 4;

/** The error that a statement ends the call with; undefined where it does not, or its words are not known. */
export function thrownError(node: SyntaxNode, scope: SourceScope): Throws | undefined {
  const found = errorIn(node, scope);
  if (!found) return undefined;
  const part = surePart(found.words, scope);
  if (part === undefined) return undefined;
  return new Throws(part, scope.tree.path, node.line, found.how, found.thrown);
}

interface Told {
  how: string;
  /** Where its words are. */
  words: SyntaxNode;
  thrown: boolean;
}

function errorIn(node: SyntaxNode, { language, answers }: SourceScope): Told | undefined {
  const [value] = namedChildren(node);
  if (node.type === "throw_statement") {
    // `throw error` passes on what was made elsewhere.
    return value?.type === "new_expression" ? { how: "throws", words: value, thrown: true } : undefined;
  }
  if (node.type === "raise_statement") {
    return value && callOf(value) ? { how: "raises", words: value, thrown: true } : undefined;
  }
  if (language === "rust") return rustError(node.type === "return_expression" ? value : node);
  if (node.type !== "return_statement") return undefined;
  if (language === "go") return goError(node);
  // In a function that the handler calls it is a value, which the handler may look at.
  return answers ? answeredError(node) : undefined;
}

/** `return { isError: true, content: [{ type: "text", text: "…" }] }`. */
function answeredError(node: SyntaxNode): Told | undefined {
  const [value] = namedChildren(node);
  if (value?.type !== "object" && value?.type !== "dictionary") return undefined;
  const pairs = [...descendants(value)].filter(({ type }) => type === "pair");
  const isError = pairs.some((pair) =>
    /^["']?isError["']?$/.test(namedChild(pair, "key")!.text) &&
    /^(?:t|T)rue$/.test(namedChild(pair, "value")!.text)
  );
  const text = pairs.find((pair) => /^["']?text["']?$/.test(namedChild(pair, "key")!.text));
  return isError && text
    ? { how: "answers isError", words: namedChild(text, "value")!, thrown: false }
    : undefined;
}

function rustError(node: SyntaxNode | undefined): Told | undefined {
  const call = node && callOf(node);
  if (!call) return undefined;
  if (call.callee.text === "Err") return { how: "returns Err", words: node, thrown: true };
  const inner = call.callee.text === "Ok" && call.args[0] ? callOf(call.args[0]) : undefined;
  const isError = inner !== undefined && /CallToolResult::error$/.test(inner.callee.text);
  return isError ? { how: "answers isError", words: node, thrown: false } : undefined;
}

const goErrors = /^(?:NewToolResultError\w*|Errorf|New)$/;

function goError(node: SyntaxNode): Told | undefined {
  for (const value of namedChildren(namedChildren(node)[0])) {
    const call = callOf(value);
    if (call && goErrors.test(calledName(call.callee)) && /^(?:mcp|fmt|errors)\./.test(call.callee.text)) {
      const how = call.callee.text.startsWith("mcp.") ? "answers isError" : "returns an error";
      return { how, words: value, thrown: false };
    }
  }
  return undefined;
}

/** The longest text that stands in the message as it is. */
function surePart(node: SyntaxNode, { language }: SourceScope): string | undefined {
  const pieces: string[] = [];
  const visit = (each: SyntaxNode): void => {
    const own = stringPieces(each);
    if (own) pieces.push(...own);
    // Of an error's options and of what it computes nothing is sure.
    else if (!/^(?:object|ternary_expression|conditional_expression|subscript|dictionary)/.test(each.type)) {
      each.children.forEach(visit);
    }
  };
  visit(node);
  const placeholder = language === "rust"
    ? /\{[^}]*\}/
    : language === "go"
    ? /%[-+#0-9.]*[a-zA-Z%]/
    : undefined;
  const sure = pieces.flatMap((piece) => placeholder ? piece.split(placeholder) : [piece]).flatMap((piece) =>
    piece.split("\n")
  );
  const longest = sure.map((piece) => piece.trim()).reduce(
    (best, each) => each.length > best.length ? each : best,
    "",
  );
  return longest.length >= fewest ? longest : undefined;
}

/** Whether each `catch` or `except` answers with an error and the message of what it caught. */
export const reportsFailures = (attempt: SyntaxNode, index: SourceIndex): boolean =>
  namedChildren(attempt).filter(({ type }) => /^(?:catch|except|except_group)_clause$/.test(type))
    .every((handler) => tells(handler, index));

/** Every way out of it says the caught error's message. */
function tells(handler: SyntaxNode, index: SourceIndex): boolean {
  const name = namedChild(handler, "parameter")?.text ?? /except[^:]*\bas\s+(\w+)/.exec(handler.text)?.[1];
  if (name === undefined) return false;
  const names = withMessages(handler, name);
  const ends = [...descendants(handler)].filter(({ type }) =>
    /^(?:return|throw|raise)_statement$/.test(type)
  );
  return ends.length > 0 && ends.every((end) =>
    // A bare `raise` passes on what was caught.
    end.text === "raise" || (mentions(end, names) && (endsInError.test(end.text) || refuses(end, index)))
  );
}

/** The caught error, and what is made of it: `const message = String(error)`. */
function withMessages(handler: SyntaxNode, name: string): string[] {
  const names = [name];
  for (const node of descendants(handler)) {
    const target = /^(?:variable_declarator|assignment)$/.test(node.type)
      ? namedChild(node, "name") ?? namedChild(node, "left")
      : undefined;
    const value = namedChild(node, "value") ?? namedChild(node, "right");
    if (target && value && mentions(value, names)) names.push(target.text);
  }
  return names;
}

const mentions = (node: SyntaxNode, names: readonly string[]): boolean =>
  [...descendants(node)].some(({ type, text }) => /identifier$/.test(type) && names.includes(text));

const isErrorTrue = /isError["']?\s*:\s*(?:t|T)rue/;
const endsInError = /isError["']?\s*:\s*(?:t|T)rue|^(?:throw|raise)\b/;

/** `return refuse(error.message)`, where that function makes an answer with an error. */
function refuses(end: SyntaxNode, { functions }: SourceIndex): boolean {
  const [value] = namedChildren(end);
  const call = value && callOf(value);
  if (call?.callee.type !== "identifier") return false;
  const named = functions.filter(({ name }) => name === call.callee.text);
  return named.length === 1 && isErrorTrue.test(named[0]!.node.text);
}
