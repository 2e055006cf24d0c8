/** Failures with one root cause, as far as it shows (PTH design §5.4). */
import { createHash } from "node:crypto";
import type { Diagnosis, FailureGroup, SourcePlace } from "../../machines/model/diagnosis.ts";

/** A diagnosis with what only grouping needs. */
export interface Examined {
  diagnosis: Diagnosis;
  /** How the first place was found: named by a trace, a telling line, or only the handler as a whole. */
  strength: "trace" | "clue" | "handler" | "none";
  /** The error's own words without what differs from call to call; "" where there are none. */
  words: string;
  /** What is missing in the environment, if anything: one cause, wherever it is needed. */
  missing?: string;
}

/** The largest group first; ids stay the same over iterations as long as category and place (or words) do. */
export function groupFailures(failures: readonly Examined[]): FailureGroup[] {
  const groups: Examined[][] = [];
  for (const failure of failures) {
    const joined = groups.filter((group) => group.some((other) => haveOneCause(failure, other)));
    for (const group of joined) groups.splice(groups.indexOf(group), 1);
    groups.push([...joined.flat(), failure]);
  }
  const used = new Map<string, number>();
  return groups.sort((a, b) => b.length - a.length).map((group) => describe(group, used));
}

function haveOneCause(a: Examined, b: Examined): boolean {
  if (a.diagnosis.category !== b.diagnosis.category) return false;
  if (a.missing !== undefined || b.missing !== undefined) return a.missing === b.missing;
  const [here, there] = [a.diagnosis.places[0], b.diagnosis.places[0]];
  if (here && there && samePlace(here, there)) return true;
  if (a.words === "" || a.words !== b.words) return false;
  // Two traces that name different places are different faults, unless they name one function.
  const firm = a.strength === "trace" && b.strength === "trace";
  return !firm || here!.path === there!.path && here!.name !== undefined && here!.name === there!.name;
}

const samePlace = (a: SourcePlace, b: SourcePlace): boolean => a.path === b.path && a.line === b.line;

function describe(group: Examined[], used: Map<string, number>): FailureGroup {
  const first = group.find(({ strength }) => strength === "trace") ??
    group.find(({ strength }) => strength === "clue") ?? group[0]!;
  const { category, places: [place], evidence } = first.diagnosis;
  const mark = first.missing ?? (place ? `${place.path} ${place.name ?? place.line}` : first.words);
  const stem = `${category}-${createHash("sha256").update(mark).digest("hex").slice(0, 6)}`;
  const number = (used.get(stem) ?? 0) + 1;
  used.set(stem, number);
  return {
    id: number === 1 ? stem : `${stem}-${number}`,
    category,
    cause: evidence[0]!,
    ...(place === undefined ? {} : { place }),
    testIds: group.map(({ diagnosis }) => diagnosis.testId),
  };
}

/** Error words with what differs from call to call taken out: the tool's name, values of the input, numbers. */
export function commonWords(text: string, tool: string | undefined, input: unknown): string {
  const values = typeof input === "object" && input !== null ? Object.values(input) : [];
  const own = [tool, ...values].filter((value): value is string =>
    typeof value === "string" && value.length > 1
  );
  return own.reduce((words, value) => words.replaceAll(value, "…"), text)
    .replaceAll(/\d+/g, "#").trim().slice(0, 500);
}
