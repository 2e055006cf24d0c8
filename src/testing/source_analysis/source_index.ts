/** A plugin's source files as trees, and the functions in them. */
import type { PluginSources } from "../../plugin/plugin_sources.ts";
import {
  descendants,
  languageOf,
  namedChild,
  namedChildren,
  parseSource,
  plainString,
  type SourceLanguage,
  type SyntaxNode,
} from "./syntax.ts";

export interface SourceTree {
  /** Relative to the plugin's folder. */
  path: string;
  language: SourceLanguage;
  root: SyntaxNode;
}

/** A function that has a name. */
export interface NamedFunction {
  name: string;
  path: string;
  line: number;
  endLine: number;
  node: SyntaxNode;
}

export interface SourceIndex {
  trees: SourceTree[];
  functions: NamedFunction[];
  /** The function that a name means in a file: one of the same file first, else the only one of all. */
  find(name: string, path: string): NamedFunction | undefined;
}

/** Most files that are read: a plugin's own source is small, a bundle is no source. */
const mostFiles = 500;
const mostCharacters = 400_000;

const known = new WeakMap<PluginSources, Promise<SourceIndex>>();

/** All of the plugin's own files in a language that is analysed; the same sources are read once. */
export function indexSources(sources: PluginSources): Promise<SourceIndex> {
  const index = known.get(sources) ?? readIndex(sources);
  known.set(sources, index);
  return index;
}

async function readIndex(sources: PluginSources): Promise<SourceIndex> {
  const trees: SourceTree[] = [];
  for (const path of (await sources.list()).filter(isOwnCode).slice(0, mostFiles)) {
    const text = await sources.read(path);
    const language = languageOf(path);
    if (text === undefined || language === undefined || text.length > mostCharacters) continue;
    const root = await parseSource(path, text);
    if (root) trees.push({ path, language, root });
  }
  const functions = trees.flatMap(functionsOf);
  return { trees, functions, find: finder(functions) };
}

/** Tests are no part of what a tool does. */
const isOwnCode = (path: string): boolean =>
  languageOf(path) !== undefined &&
  !/(?:^|\/)(?:tests?|__tests__|spec|examples?)\/|[._](?:test|spec)\.\w+$|(?:^|\/)test_\w+\.py$/.test(path);

function finder(functions: readonly NamedFunction[]): SourceIndex["find"] {
  const byName = new Map<string, NamedFunction[]>();
  for (const each of functions) byName.set(each.name, [...byName.get(each.name) ?? [], each]);
  return (name, path) => {
    const named = (byName.get(name) ?? []).filter((each) => family(each.path) === family(path));
    const here = named.filter((each) => each.path === path);
    return here.length === 1 ? here[0] : here.length === 0 && named.length === 1 ? named[0] : undefined;
  };
}

/** TypeScript and JavaScript call each other. */
const family = (path: string): string => (languageOf(path) ?? "").replace("typescript", "javascript");

export const functionTypes = new Set([
  "arrow_function",
  "function_expression",
  "function_declaration",
  "generator_function_declaration",
  "method_definition",
  "function_definition",
  "function_item",
  "method_declaration",
  "func_literal",
  "lambda",
  "closure_expression",
]);

function functionsOf({ path, root }: SourceTree): NamedFunction[] {
  const found: NamedFunction[] = [];
  const visit = (node: SyntaxNode, givenName: string | undefined): void => {
    if (functionTypes.has(node.type)) {
      const name = namedChild(node, "name")?.text ?? givenName;
      if (name !== undefined) found.push({ name, path, line: node.line, endLine: node.endLine, node });
    }
    for (const each of node.children) visit(each, nameGiven(node, each));
  };
  visit(root, undefined);
  return found;
}

/** `const f = () => …`, `f: () => …`, `f = lambda: …`, `f := func() …`. */
function nameGiven(parent: SyntaxNode, node: SyntaxNode): string | undefined {
  if (node.field !== "value" && node.field !== "right") return undefined;
  const target = namedChild(parent, "name") ?? namedChild(parent, "key") ?? namedChild(parent, "left");
  if (target === undefined) return undefined;
  return plainString(target) ?? (/^[\w$]+$/.test(target.text) ? target.text : undefined);
}

/** Nodes of a function's own body, without those of the functions inside that have a name of their own. */
export function* ownNodes(node: SyntaxNode): Generator<SyntaxNode> {
  const open = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next;
    const own = next.children.filter((each) =>
      !functionTypes.has(each.type) || namedChild(each, "name") === undefined
    );
    open.push(...own.reverse());
  }
}

/** The text of what is called and what it is given, for a call in any of the languages. */
export function callOf(node: SyntaxNode): { callee: SyntaxNode; args: SyntaxNode[] } | undefined {
  if (node.type === "new_expression") {
    return { callee: namedChild(node, "constructor")!, args: namedChildren(namedChild(node, "arguments")) };
  }
  if (node.type !== "call_expression" && node.type !== "call") return undefined;
  const callee = namedChild(node, "function");
  return callee && { callee, args: namedChildren(namedChild(node, "arguments")) };
}

/** Last name of what is called: `get` of `this.items.get`. */
export const calledName = (callee: SyntaxNode): string =>
  /([\w$]+)\W*$/.exec(callee.text)?.[1] ?? callee.text;

/** Text of a constant string of the file under a name. */
export function constantString(name: string, root: SyntaxNode): string | undefined {
  for (const node of descendants(root)) {
    const target = namedChild(node, "name") ?? namedChild(node, "left");
    if (target?.text !== name) continue;
    const value = plainString(namedChild(node, "value") ?? namedChild(node, "right"));
    if (value !== undefined) return value;
  }
  return undefined;
}
