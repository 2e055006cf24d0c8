/** Computes which tests a change affects, from what each of them ran, and describes the result. */
import type { ChangedFile, ImpactMap, TestImpact } from "../../../machines/model/coverage.ts";
import { structuredPatch } from "diff";
import { shownPath } from "./line_ranges.ts";
import { count } from "../../core/text.ts";

/** Lines as they stood when the map was made; `from` greater than `to`: something is put between these lines. */
export interface ChangedPlace {
  path: string;
  /** Absent: the file as a whole. */
  lines?: [number, number];
}

type MappedFunction = NonNullable<ImpactMap["functions"]>[string][number];
type Change = TestImpact["changes"][number];

/**
 * @param known ids of the tests that there are, in their order; others of the map are left out
 * @param isSource whether a file that the map does not name is of the plugin's own code, which no test loads then
 */
export function impactOf(
  map: ImpactMap,
  places: readonly ChangedPlace[],
  known: readonly string[],
  isSource: (path: string) => boolean,
): TestImpact {
  const index = indexOf(map, known);
  const changes: Change[] = [];
  const unknown = new Set<string>();
  for (const place of places) {
    if (index.knows(place.path)) changes.push(...changesAt(index, place));
    else if (map.source === "measured" && isSource(place.path)) {
      changes.push({ path: place.path, tests: [], reason: "no test loads this file" });
    } else unknown.add(place.path);
  }
  const merged = mergeChanges(changes);
  const affected = new Set(merged.flatMap(({ tests }) => tests));
  return {
    source: map.source,
    tests: known.filter((id) => affected.has(id)),
    changes: merged,
    unknown: [...unknown],
    notes: map.notes,
  };
}

function indexOf(map: ImpactMap, known: readonly string[]) {
  const all = known.filter((id) => id in map.tests);
  const reachOf = (id: string, path: string) => (map.tests[id] ?? []).filter((reach) => reach.path === path);
  const started = new Map((map.startup ?? []).map((reach) => [reach.path, new Set(reach.functions)]));
  return {
    all,
    functions: (path: string): MappedFunction[] => map.functions?.[path] ?? [],
    knows: (path: string) =>
      map.functions?.[path] !== undefined || started.has(path) ||
      all.some((id) => reachOf(id, path).length > 0),
    loadsAtStart: (path: string) => started.has(path),
    runsAtStart: (path: string, key: string) => started.get(path)?.has(key) === true,
    /** Tests that reach a file. */
    testsOf: (path: string) => all.filter((id) => reachOf(id, path).length > 0),
    testsIn: (path: string, key: string) =>
      all.filter((id) =>
        reachOf(id, path).some(({ functions, ranges }) => functions.includes(key) || ranges === undefined)
      ),
  };
}

type Index = ReturnType<typeof indexOf>;

const keyOf = ({ name, line }: MappedFunction) => `${name}:${line}`;

function changesAt(index: Index, { path, lines }: ChangedPlace): Change[] {
  if (lines === undefined) return [wholeFile(index, path)];
  const [from, to] = lines;
  const between = from > to;
  const changes: Change[] = [];
  for (let line = Math.min(from, to); line <= (between ? Math.min(from, to) : to); line++) {
    const inside = index.functions(path).filter((one) =>
      one.line <= line && (between ? one.endLine > line : one.endLine >= line)
    ).sort((a, b) => a.endLine - a.line - (b.endLine - b.line));
    const owners = ownersOf(index, path, line, inside);
    const at: [number, number] = between ? [line, line] : [line, line];
    if (owners.length === 0) changes.push({ ...outside(index, path), lines: at });
    else changes.push(...owners.map((owner) => ({ ...ofFunction(index, path, owner), lines: at })));
  }
  return changes;
}

/**
 * The innermost function of a line; where the line is its first or last, also the one around it, whose code stands there,
 * too. One around that no test enters itself, such as one that registers handlers, has nothing to do with it.
 */
function ownersOf(
  index: Index,
  path: string,
  line: number,
  inside: readonly MappedFunction[],
): MappedFunction[] {
  const owners: MappedFunction[] = [];
  for (const one of inside) {
    if (owners.length > 0 && index.testsIn(path, keyOf(one)).length === 0) continue;
    owners.push(one);
    if (one.line !== line && one.endLine !== line) break;
  }
  return owners;
}

function ofFunction(index: Index, path: string, owner: MappedFunction): Change {
  const key = keyOf(owner);
  const atStart = index.runsAtStart(path, key);
  const tests = atStart ? index.all : index.testsIn(path, key);
  const reason = atStart
    ? "runs while the server starts"
    : tests.length === 0
    ? "no test reaches this function"
    : "these tests run this function";
  return { path, function: key, tests, reason };
}

/** Code outside of all functions, which runs when the file is loaded. */
function outside(index: Index, path: string): Change {
  if (index.loadsAtStart(path)) {
    return {
      path,
      tests: index.all,
      reason: "outside of all functions: runs when the server loads the file",
    };
  }
  return { path, tests: index.testsOf(path), reason: "outside of all functions: these tests load the file" };
}

function wholeFile(index: Index, path: string): Change {
  const tests = index.testsOf(path);
  return {
    path,
    tests,
    reason: tests.length === 0 ? "no test runs code of this file" : "these tests run code of this file",
  };
}

/** One entry for each function or place, with all its lines. */
function mergeChanges(changes: readonly Change[]): Change[] {
  const merged = new Map<string, Change>();
  for (const change of changes) {
    const key = JSON.stringify([change.path, change.function, change.reason]);
    const known = merged.get(key);
    if (known?.lines && change.lines) {
      known.lines = [Math.min(known.lines[0], change.lines[0]), Math.max(known.lines[1], change.lines[1])];
    } else merged.set(key, { ...change });
  }
  return [...merged.values()];
}

/** Blank lines, and comments of a line's own: none of them runs. */
const inert = (path: string) => path.endsWith(".py") ? /^\s*(#.*)?$/ : /^\s*(\/\/.*)?$/;

/** Lines of `before`; something that is only added stands between two of them. */
export function changedPlaces(path: string, before: string, after: string): ChangedPlace[] {
  const { hunks } = structuredPatch(path, path, before, after, "", "", { context: 0 });
  const places: ChangedPlace[] = [];
  for (const { oldStart, oldLines, lines } of hunks) {
    const touched = lines.filter((line) => line.startsWith("+") || line.startsWith("-"));
    if (touched.every((line) => inert(path).test(line.slice(1)))) continue;
    // With nothing taken away this ends before it starts: what is added stands between the two.
    places.push({ path, lines: [oldStart, oldStart + oldLines - 1] });
  }
  return places;
}

export function parseChangedFile(text: string): ChangedFile {
  const [, path, from, to = from] = /^(.+?):(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  if (path === undefined || from === undefined || to === undefined) return { path: text };
  const first = Math.min(Number(from), Number(to));
  const last = Math.max(Number(from), Number(to));
  return { path, lines: Array.from({ length: last - first + 1 }, (_, index) => first + index) };
}

/** Most tests and changes that are listed one by one, unless all are wanted. */
const mostNamed = 40;
const mostPlaces = 12;

export function impactText(
  { source, tests, changes, unknown, notes }: TestImpact,
  all: number,
  detail = false,
): string[] {
  const places = changes.map(({ path, function: name, lines, tests, reason }) => {
    const at = lines === undefined ? "" : lines[0] === lines[1] ? `:${lines[0]}` : `:${lines[0]}-${lines[1]}`;
    return `${shownPath(path)}${at}${name === undefined ? "" : ` (${functionName(name)})`}: ${
      count(tests.length, "test")
    }, ${reason}`;
  });
  return [
    changes.length === 0 && unknown.length === 0
      ? "Nothing differs from what was measured: no test is affected."
      : `${count(tests.length, "test")} of ${all} affected, ${
        source === "measured" ? "as measured" : "as read from the source"
      }.`,
    ...shown(places, detail ? Infinity : mostPlaces),
    ...(tests.length === 0 ? [] : [shown(tests, detail ? Infinity : mostNamed).join(", ")]),
    ...unknown.map((path) =>
      `${shownPath(path)} is unknown to the map: whether a test needs it is not known.`
    ),
    ...notes,
  ];
}

const functionName = (key: string): string => key.replace(/^\(anonymous_\d+\):(\d+)$/, "function at line $1");

const shown = (items: readonly string[], most: number): string[] =>
  items.length <= most
    ? [...items]
    : [...items.slice(0, most), `… ${items.length - most} more; ask with detail: true`];
