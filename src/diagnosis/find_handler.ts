/**
 * Finds the handler of a tool by a text search for the usual ways to register tools.
 *
 * Blocks are found by indentation, which every language's formatter keeps.
 */
import type { SourcePlace } from "../../machines/model/diagnosis.ts";
import type { PluginSources } from "../plugin/plugin_sources.ts";
import { filesNaming, readSourceFiles, type SourceFile } from "./source_files.ts";

/** A stretch of a source file; lines count from 1, `to` is the last line. */
export interface SourceBlock {
  path: string;
  from: number;
  to: number;
  name?: string;
}

export interface ToolHandlerSource {
  place: SourcePlace;
  /** The handler itself first, then what it calls within the plugin. */
  blocks: SourceBlock[];
}

interface Rule {
  /** `NAME` stands for the tool's name, quoted where it is a string. */
  pattern: RegExp;
  /** The block is that of the enclosing object, not of the line. */
  inner?: boolean;
  /** The next function after this line is the handler (a decorator). */
  decorates?: boolean;
}

/** Verbs that a handler's name may put before the tool's name. */
const verbs = ["handle", "do", "call", "run"];
const mostBlocks = 8;
const mostLines = 400;

/** Ways to say that a tool is handled here, the plainest first. */
function rulesFor(tool: string): Rule[] {
  const name = tool.replaceAll(/[^\w]/g, "\\$&");
  const quoted = `["'\`]${name}["'\`]`;
  const names = spellings(tool).filter((each) => /^\w+$/.test(each)).join("|") || name;
  return [
    { pattern: RegExp(`\\.(?:registerTool|tool|addTool|add_tool)\\(\\s*(?:\\{\\s*name:\\s*)?${quoted}`) },
    { pattern: RegExp(`^\\s*@[\\w.]*tool\\(.*${quoted}`), decorates: true },
    { pattern: RegExp(`\\bcase\\s+${quoted}\\s*(?::|=>)`) },
    { pattern: RegExp(`\\bname\\w*\\b.*(?:===?|==)\\s*${quoted}`, "i") },
    {
      pattern: RegExp(
        `^\\s*(?:async\\s+)?(?:["'](?:${name})["']|${name})\\s*(?::\\s*(?:async\\b|\\(|function\\b|[\\w.]+\\s*,?$|\\{|\\w+\\s*=>|lambda\\b)|\\([^)]*\\)\\s*\\{)`,
      ),
    },
    { pattern: RegExp(`^\\s*(?:async\\s+)?def\\s+(?:${names})\\s*\\(`) },
    { pattern: RegExp(`\\bfunction\\s+(?:${names})\\s*\\(`) },
    { pattern: RegExp(`\\b(?:const|let)\\s+(?:${names})\\s*=\\s*(?:async\\b|\\(|function\\b)`) },
    { pattern: RegExp(`\\b(?:fn|func)\\s+(?:\\([^)]*\\)\\s*)?(?:${names})\\s*[(<]`) },
    { pattern: RegExp(`["']?\\bname["']?\\s*[:=]\\s*${quoted}`), inner: true },
    {
      pattern: RegExp(
        `^\\s*(?:async\\s+)?(?:def|function)\\s+(?:${verbs.join("|")})_?(?:${names})\\s*\\(`,
      ),
    },
    { pattern: RegExp(quoted) },
  ];
}

const spellings = (tool: string): string[] => [
  ...new Set([tool, camel(tool), snake(tool), pascal(tool)]),
];

/** The handler of a tool in the plugin's source, or undefined where nothing names it. */
export async function findHandler(
  tool: string,
  sources: PluginSources,
): Promise<ToolHandlerSource | undefined> {
  const files = await filesOf(sources);
  const naming = await namingFiles(tool, sources);
  for (const rule of rulesFor(tool)) {
    for (const { path, lines } of naming) {
      const at = lines.findIndex((line, index) =>
        rule.pattern.test(line) || spansTwo(rule, line, lines[index + 1])
      );
      if (at < 0) continue;
      const own = blockFor(rule, path, lines, at);
      const blocks = [own, ...calledFrom(own, tool, files)].slice(0, mostBlocks);
      const main = blocks.slice(1).find((block) => isNamedFor(tool, block)) ??
        (isReference(own, files) && blocks[1] ? blocks[1] : own);
      return {
        place: { path: main.path, line: functionIn(main, files), name: main.name ?? tool },
        blocks: [main, ...blocks.filter((block) => block !== main)],
      };
    }
  }
  return undefined;
}

/** Functions of the plugin that the code around a place calls: the subject of a test of its own. */
export async function calledNear(
  { path, line }: SourcePlace,
  sources: PluginSources,
): Promise<SourceBlock[]> {
  const files = await filesOf(sources);
  const lines = files.get(path);
  if (lines?.[line - 1] === undefined) return [];
  const depth = indentOf(lines[line - 1]!);
  const head = lines.findLastIndex((each, at) =>
    at < line - 1 && each.trim() !== "" && indentOf(each) < depth
  );
  return calledFrom(head < 0 ? { path, from: line, to: line } : blockAt(path, lines, head), "", files);
}

/** Files that hold the tool's name in one of its spellings, in the order of all. */
async function namingFiles(tool: string, sources: PluginSources): Promise<SourceFile[]> {
  const plain = spellings(tool);
  const wanted = [
    ...plain,
    ...verbs.flatMap((verb) => plain.flatMap((each) => [verb + each, `${verb}_${each}`])),
  ];
  const naming = new Set((await Promise.all(wanted.map((each) => filesNaming(each, sources)))).flat());
  return (await readSourceFiles(sources)).filter((file) => naming.has(file));
}

/** `registerTool(` with the name on the next line. */
const spansTwo = ({ pattern }: Rule, line: string, next: string | undefined): boolean =>
  /\.(?:registerTool|tool|addTool|add_tool)\(\s*$|@[\w.]*tool\(\s*$/.test(line) && next !== undefined &&
  pattern.test(`${line.trimEnd()}${next.trim()}`);

type Files = ReadonlyMap<string, readonly string[]>;

const filesBySources = new WeakMap<PluginSources, Promise<Files>>();

function filesOf(sources: PluginSources): Promise<Files> {
  const known = filesBySources.get(sources) ??
    readSourceFiles(sources).then((files) => new Map(files.map(({ path, lines }) => [path, lines])));
  filesBySources.set(sources, known);
  return known;
}

function blockFor(
  { inner, decorates }: Rule,
  path: string,
  lines: readonly string[],
  at: number,
): SourceBlock {
  if (decorates) {
    const def = lines.findIndex((line, index) =>
      index > at && /^\s*(?:async\s+)?(?:def|function)\b/.test(line)
    );
    if (def > 0) return { ...blockAt(path, lines, def), ...nameOf(lines[def]!) };
  }
  if (inner) {
    const depth = indentOf(lines[at]!);
    for (let up = at - 1; up >= 0; up--) {
      if (lines[up]!.trim() !== "" && indentOf(lines[up]!) < depth) return blockAt(path, lines, up);
    }
  }
  return { ...blockAt(path, lines, at), ...nameOf(lines[at]!) };
}

/** From a line to the last line that is indented deeper, with the line that closes it. */
function blockAt(path: string, lines: readonly string[], at: number): SourceBlock {
  const depth = indentOf(lines[at]!);
  let to = at;
  for (let next = at + 1; next < Math.min(lines.length, at + mostLines); next++) {
    const line = lines[next]!;
    if (line.trim() === "") continue;
    if (indentOf(line) > depth) to = next;
    else {
      if (indentOf(line) === depth && /^\s*[)\]}]/.test(line)) to = next;
      // `) -> str:` closes a signature, not its body.
      if (!/^\s*\).*[{:]$/.test(line)) break;
    }
  }
  return { path, from: at + 1, to: to + 1 };
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** A named function, in any of the usual languages. */
const symptomDefinition =
  /(?:\bfunction\s*\*?\s+|\bdef\s+|\b(?:fn|func)\s+(?:\([^)]*\)\s*)?|\b(?:const|let|var)\s+(?=\w+\s*(?::[^=]+)?=\s*(?:async\b|\(|function\b|\w+\s*=>)))(\w+)/;

const nameOf = (line: string): { name?: string } => {
  const name = symptomDefinition.exec(line)?.[1];
  return name === undefined ? {} : { name };
};

/** Functions of the plugin that a block names, in the order in which it names them, and those that they name in turn. */
function calledFrom(block: SourceBlock, tool: string, files: Files): SourceBlock[] {
  const defined = definitions(files);
  const found: SourceBlock[] = [];
  const queue = [block];
  while (queue.length > 0 && found.length < mostBlocks) {
    for (const name of namesIn(queue.shift()!, files)) {
      const callee = defined.get(name);
      if (!callee || name === tool && callee.from === block.from) continue;
      if (
        contains(block, callee) ||
        found.some((each) => each.from === callee.from && each.path === callee.path)
      ) continue;
      found.push(callee);
      queue.push(callee);
    }
  }
  return found;
}

const contains = (block: SourceBlock, { path, from }: SourceBlock): boolean =>
  block.path === path && block.from <= from && from <= block.to;

const definitionsByFiles = new WeakMap<Files, Map<string, SourceBlock>>();

function definitions(files: Files): Map<string, SourceBlock> {
  const known = definitionsByFiles.get(files) ?? findDefinitions(files);
  definitionsByFiles.set(files, known);
  return known;
}

function findDefinitions(files: Files): Map<string, SourceBlock> {
  const defined = new Map<string, SourceBlock>();
  for (const [path, lines] of files) {
    lines.forEach((line, at) => {
      const name = symptomDefinition.exec(line)?.[1];
      if (name !== undefined && !defined.has(name)) defined.set(name, { ...blockAt(path, lines, at), name });
    });
  }
  return defined;
}

/** Names that a block calls, or hands on as a handler. */
function namesIn({ path, from, to }: SourceBlock, files: Files): Set<string> {
  const text = files.get(path)!.slice(from - 1, to).join("\n");
  const names = [...text.matchAll(/\b([A-Za-z_]\w*)\s*\(|[:,(]\s*([A-Za-z_]\w*)\s*(?=[,)}\n]|$)/g)];
  return new Set(names.flatMap(([, called, given]) => called ?? given ?? []));
}

/** `create_file`, `createFile`, `handle_create_file` … */
const isNamedFor = (tool: string, { name = "" }: SourceBlock): boolean =>
  snake(name).replace(/^(?:handle|do|call|run|on)_|_(?:handler|tool|impl)$/g, "") === snake(tool);

/** Line of the function in an entry of a table, else the first line of the block. */
function functionIn({ path, from, to }: SourceBlock, files: Files): number {
  const lines = files.get(path)!.slice(from - 1, to);
  const at = lines.findIndex((line) =>
    /^\s*["']?(?:call|handler|execute|run|callback|cb)["']?\s*(?::|=|\().*(?:=>|function\b|lambda\b|\)\s*\{)/
      .test(line)
  );
  return from + Math.max(0, at);
}

/** A line of a table such as `"add": add_numbers,` only refers to the handler. */
function isReference({ path, from, to }: SourceBlock, files: Files): boolean {
  const text = files.get(path)!.slice(from - 1, to).join("\n");
  return /["']?(?:call|handler|execute|run|fn|func|callback)["']?\s*[:=]\s*[A-Za-z_]\w*\s*,?\s*$/m.test(
    text,
  ) ||
    to === from && /:\s*[A-Za-z_][\w.]*\s*,?$/.test(text) ||
    /\.(?:registerTool|tool)\([\s\S]*,\s*[A-Za-z_]\w*\s*,?\s*\);?$/.test(text);
}

const camel = (name: string): string =>
  name.replaceAll(/[-_]+(\w)/g, (_, letter: string) => letter.toUpperCase());
const pascal = (name: string): string => camel(name).replace(/^\w/, (letter) => letter.toUpperCase());
const snake = (name: string): string =>
  name.replaceAll("-", "_").replaceAll(/([a-z\d])([A-Z])/g, "$1_$2").toLowerCase();

const labels: readonly RegExp[] = [
  symptomDefinition,
  /\.(?:registerTool|tool|addTool|add_tool)\(\s*(?:\{\s*name:\s*)?["'`]([^"'`]+)["'`]/,
  /\bcase\s+["'`]([^"'`]+)["'`]\s*(?::|=>)/,
  /\bname\w*\b.*(?:===?|==)\s*["'`]([^"'`]+)["'`]/i,
  /^\s*(?:(?:async|static|public|private|protected|override|get|set)\s+)*(?!(?:if|for|while|switch|catch|return|function|with)\b)#?(\w+)\s*\([^)]*\)\s*(?::[^{=]+)?\{\s*$/,
  /^\s*["']?([\w-]+)["']?\s*:\s*(?:async\b|\(|function\b|lambda\b|\w+\s*=>)/,
  /^\s*(?:export\s+)?(?:abstract\s+)?(?:class|impl|struct|trait|interface)\s+(\w+)/,
  /^\s*["']?([\w-]+)["']?\s*:\s*\{\s*$/,
];

/** Name of the innermost such thing around a line (counted from 1), or undefined at the top of a file. */
export function enclosingName(lines: readonly string[], line: number): string | undefined {
  let depth = Infinity;
  for (let at = line - 1; at >= 0 && depth > 0; at--) {
    const text = lines[at]!;
    const indent = text.length - text.trimStart().length;
    if (text.trim() === "" || indent >= depth) continue;
    depth = indent;
    // `registerTool(` may have the name on the next line.
    const whole = /\(\s*$/.test(text) ? `${text.trimEnd()}${lines[at + 1]?.trim() ?? ""}` : text;
    const name = labels.map((label) => label.exec(whole)?.[1]).find((found) => found !== undefined);
    if (name !== undefined && !generic.has(name)) return name;
  }
  return undefined;
}

/** Keys that every tool of a table has. */
const generic: ReadonlySet<string> = new Set(["call", "handler", "execute", "run", "callback", "cb", "fn"]);
