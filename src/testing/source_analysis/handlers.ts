/** Finds which functions of a plugin's source answer which tools, in TypeScript, JavaScript, Python, Rust and Go. */
import type { PluginSources } from "../../plugin/plugin_sources.ts";
import type { FindRegistrations, Registration } from "./registration.ts";
import { goRegistrations } from "./go_registrations.ts";
import { javascriptRegistrations } from "./javascript_registrations.ts";
import { pythonRegistrations } from "./python_registrations.ts";
import { rustRegistrations } from "./rust_registrations.ts";
import {
  calledName,
  callOf,
  indexSources,
  type NamedFunction,
  ownNodes,
  type SourceIndex,
} from "./source_index.ts";
import type { SourceLanguage, SyntaxNode } from "./syntax.ts";
import { reachableFiles } from "./reachable_files.ts";

/** A stretch of a file of the plugin; lines count from 1, both ends belong to it. */
export interface SourceRange {
  /** Relative to the plugin's folder. */
  path: string;
  line: number;
  endLine: number;
}

export interface ToolHandler extends SourceRange {
  tool: string;
  language: SourceLanguage;
  /** Place where the tool is registered. */
  registeredAt: { path: string; line: number };
  /** Functions that it calls itself, as written (`fs.writeFile`), each once. */
  calls: string[];
  /** Functions of the plugin that it calls, and those that they call. */
  reaches: (SourceRange & { name: string })[];
  /** Files that run with it: its own and what they import of the plugin. */
  imports: string[];
}

/** A handler with its syntax, for further analysis. */
export interface FoundHandler extends ToolHandler {
  registration: Registration;
  /** The function, or the branch of a function, that answers. */
  node: SyntaxNode;
  functions: NamedFunction[];
}

const finders: Record<SourceLanguage, FindRegistrations> = {
  typescript: javascriptRegistrations,
  javascript: javascriptRegistrations,
  python: pythonRegistrations,
  rust: rustRegistrations,
  go: goRegistrations,
};

/**
 * Handlers by tool, each tool once; a tool whose handler nothing shows has none.
 * @param tools names that `tools/list` gave; with them, tables of functions by name are understood, too
 */
export async function toolHandlers(
  sources: PluginSources,
  tools?: readonly string[],
): Promise<ToolHandler[]> {
  const found = await findHandlers(sources, tools);
  return found.map(({ registration: _, node: __, functions: ___, ...handler }) => handler);
}

/** Finds handlers like `toolHandlers`, with their syntax trees. */
export async function findHandlers(
  sources: PluginSources,
  tools?: readonly string[],
): Promise<FoundHandler[]> {
  const index = await indexSources(sources);
  const names = tools === undefined ? undefined : new Set(tools);
  const byTool = new Map<string, FoundHandler>();
  for (const { path, language, root } of index.trees) {
    for (const registration of finders[language]({ root, tools: names })) {
      const { tool } = registration;
      if (names?.has(tool) === false) continue;
      // Of two places that name the tool, the one that shows what answers is the handler.
      const other = byTool.get(tool);
      if (other && !showsLess(other)) continue;
      const shown = describe(registration, path, language, index);
      if (other && showsLess(shown)) continue;
      byTool.set(tool, shown);
    }
  }
  return [...byTool.values()];
}

/** True if the function that answers is wrapped, or only its name is seen. */
const showsLess = ({ registration, node }: FoundHandler): boolean =>
  registration.wrapped === true || /^(?:identifier|attribute|member_expression)$/.test(node.type);

function describe(
  registration: Registration,
  path: string,
  language: SourceLanguage,
  index: SourceIndex,
): FoundHandler {
  const { tool, reference, body } = registration;
  const named = reference === undefined ? undefined : index.find(reference, path);
  const node = named?.node ?? body!;
  const place = { path: named?.path ?? path, line: node.line, endLine: node.endLine };
  const functions = calledFunctions(node, place.path, index);
  return {
    tool,
    language,
    ...place,
    registeredAt: { path, line: registration.line },
    calls: callsIn(node),
    reaches: functions.map(({ name, path, line, endLine }) => ({ name, path, line, endLine })),
    imports: reachableFiles([place.path, ...functions.map((each) => each.path)], index.trees),
    registration,
    node,
    functions,
  };
}

function callsIn(node: SyntaxNode): string[] {
  const calls = [...ownNodes(node)].flatMap((each) => callOf(each)?.callee.text ?? []);
  return [...new Set(calls.filter((text) => /^[\w$.:?!]+$/.test(text)))];
}

const mostFunctions = 200;

/** Functions of the plugin that a node calls, nearest first. */
function calledFunctions(node: SyntaxNode, path: string, index: SourceIndex): NamedFunction[] {
  const found = new Set<NamedFunction>();
  const queue: { node: SyntaxNode; path: string }[] = [{ node, path }];
  for (let next = queue.shift(); next !== undefined && found.size < mostFunctions; next = queue.shift()) {
    for (const each of ownNodes(next.node)) {
      const call = callOf(each);
      const callee = call && index.find(calledName(call.callee), next.path);
      if (!callee || callee.node === node || found.has(callee)) continue;
      found.add(callee);
      queue.push(callee);
    }
  }
  return [...found];
}
