/** Layout of a script: its statements and functions, as offsets in the code that ran. */
import { generatedPositionFor, type TraceMap } from "@jridgewell/trace-mapping";
import type { FileCoverageData } from "istanbul-lib-coverage";

interface Piece {
  /** In the code that ran. */
  offset: number;
  path: string;
  line: number;
}

export interface ScriptLayout {
  statements: Piece[];
  /** By offset; `name:line` is how they are called. */
  functions: (Piece & { name: string })[];
}

/** A range of V8: offsets in the code that ran, inner ranges after the outer ones. */
export interface V8Range {
  startOffset: number;
  endOffset: number;
  count: number;
}

export interface V8Function {
  functionName: string;
  ranges: V8Range[];
  isBlockCoverage: boolean;
}

/** @param files what V8's coverage of this script was turned into, by path */
export function layOutScript(
  code: string,
  files: ReadonlyMap<string, FileCoverageData>,
  map?: { trace: TraceMap; sourceOf: (path: string) => string | undefined },
): ScriptLayout {
  const starts = lineStarts(code);
  const layout: ScriptLayout = { statements: [], functions: [] };
  for (const [path, { statementMap, fnMap }] of files) {
    const source = map?.sourceOf(path);
    const offsetOf = ({ line, column }: { line: number; column: number }): number | undefined => {
      if (map === undefined) return starts[line - 1]! + column;
      if (source === undefined) return undefined;
      const place = generatedPositionFor(map.trace, { source, line, column });
      return place.line === null ? undefined : starts[place.line - 1]! + place.column;
    };
    for (const { start } of Object.values(statementMap)) {
      const offset = offsetOf(start);
      if (offset !== undefined) layout.statements.push({ offset, path, line: start.line });
    }
    for (const { name, decl } of Object.values(fnMap)) {
      const offset = offsetOf(decl.start);
      if (offset === undefined) continue;
      layout.functions.push({ offset: withoutStatic(code, offset), path, line: decl.start.line, name });
    }
  }
  layout.functions.sort((a, b) => a.offset - b.offset);
  return layout;
}

/** To V8 a static method starts after that word. */
function withoutStatic(code: string, offset: number): number {
  const word = /static(?:\s|\/\*.*?\*\/)+(?=[^\s(=])/sy;
  word.lastIndex = offset;
  return word.test(code) ? word.lastIndex : offset;
}

function lineStarts(code: string): number[] {
  const starts = [0];
  for (let at = code.indexOf("\n"); at !== -1; at = code.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** Reach of a script, by path: lines in their order, functions as `name:line`. */
export function reached(
  { statements, functions }: ScriptLayout,
  ran: readonly V8Function[],
): Map<string, { lines: Set<number>; functions: Set<string> }> {
  const reach = new Map<string, { lines: Set<number>; functions: Set<string> }>();
  const at = (path: string) => {
    const known = reach.get(path) ?? { lines: new Set<number>(), functions: new Set<string>() };
    reach.set(path, known);
    return known;
  };
  const entered = ran.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0) as WithRange[];
  // The module itself is a function to V8: it has no name, and starts where the script does.
  const isModule = ({ functionName, ranges: [{ startOffset }] }: WithRange) =>
    functionName === "" && startOffset === 0;
  if (entered.some(isModule)) { for (const { path } of [...statements, ...functions]) at(path); }
  const around = innermost(functions, ran.flatMap(({ ranges }) => ranges.slice(0, 1)));
  for (const one of entered) {
    if (isModule(one)) continue;
    const [{ startOffset, endOffset }] = one.ranges;
    const own = functions[firstFrom(functions, startOffset)];
    // Some are functions to V8 alone (fields that get their values, what a compiler puts around code); what stands
    // within them is not entered yet.
    if (own && own.offset < endOffset && around.get(own)?.startOffset === startOffset) {
      at(own.path).functions.add(`${own.name}:${own.line}`);
    }
  }
  const counts = innermost(statements, ran.flatMap((one) => one.ranges));
  for (const piece of statements) {
    if ((counts.get(piece)?.count ?? 0) > 0) at(piece.path).lines.add(piece.line);
  }
  return reach;
}

type WithRange = V8Function & { ranges: [V8Range] };

/** Index of the first piece at an offset or behind it; they are sorted. */
function firstFrom(pieces: readonly Piece[], offset: number): number {
  let from = 0;
  for (let to = pieces.length; from < to;) {
    const middle = (from + to) >> 1;
    if (pieces[middle]!.offset < offset) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The smallest range around each piece: one way through both, since a script may have many thousands of them. */
function innermost<One extends Piece>(
  pieces: readonly One[],
  ranges: readonly V8Range[],
): Map<One, V8Range | undefined> {
  const sorted = [...ranges].sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const open: V8Range[] = [];
  const found = new Map<One, V8Range | undefined>();
  let next = 0;
  for (const piece of [...pieces].sort((a, b) => a.offset - b.offset)) {
    for (let range = sorted[next]; range && range.startOffset <= piece.offset; range = sorted[++next]) {
      while (open.length > 0 && open.at(-1)!.endOffset <= range.startOffset) open.pop();
      open.push(range);
    }
    while (open.length > 0 && open.at(-1)!.endOffset <= piece.offset) open.pop();
    found.set(piece, open.at(-1));
  }
  return found;
}
