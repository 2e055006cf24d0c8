/** Failures with one root cause, as far as it shows. */
import { createHash } from "node:crypto";
import type { Diagnosis, FailureGroup, SourcePlace } from "../../machines/model/diagnosis.ts";

/** A diagnosis with what only grouping needs. */
export interface ExaminedFailure {
  diagnosis: Diagnosis;
  /** Cause in few words. */
  cause: string;
  /** Evidence for the first location: a stack trace, a matching line, or only the handler as a whole. */
  strength: "trace" | "clue" | "handler" | "none";
  /** The error's own words without what differs from call to call; "" where there are none. */
  words: string;
  /** Function or tool around the first location, else the text of its line. */
  owner?: string;
  /** Missing module, command or service; it is one root cause wherever it is needed. */
  missing?: string;
}

/** The largest group first; ids stay the same over iterations as long as category and place (or words) do. */
export function groupFailures(failures: readonly ExaminedFailure[]): FailureGroup[] {
  const groups: ExaminedFailure[][] = [];
  for (const failure of failures) {
    const joined = groups.filter((group) => group.some((other) => haveOneCause(failure, other)));
    for (const group of joined) groups.splice(groups.indexOf(group), 1);
    groups.push([...joined.flat(), failure]);
  }
  const ordered = groups.sort((a, b) => b.length - a.length);
  const ids = idsOf(ordered.map(firmest));
  return ordered.map((group, index) => describe(group, ids[index]!));
}

function haveOneCause(a: ExaminedFailure, b: ExaminedFailure): boolean {
  if (a.diagnosis.category !== b.diagnosis.category) return false;
  if (a.missing !== undefined || b.missing !== undefined) return a.missing === b.missing;
  const [here, there] = [a.diagnosis.places[0], b.diagnosis.places[0]];
  if (here && there && samePlace(here, there)) return true;
  if (a.words !== b.words) return false;
  // Where nothing is known of either, the tool stands for the handler that was not found.
  if (a.words === "") return !here && !there && toolOf(a) !== undefined && toolOf(a) === toolOf(b);
  // Places that were found for each, by a trace or a telling line, are different faults, unless they lie in one function.
  const firm = isFirm(a) && isFirm(b);
  return !firm || here!.path === there!.path && nameOf(a) !== undefined && nameOf(a) === nameOf(b);
}

const toolOf = ({ diagnosis }: ExaminedFailure): string | undefined => diagnosis.tool;

const isFirm = ({ strength }: ExaminedFailure): boolean => strength === "trace" || strength === "clue";

const nameOf = ({ owner, diagnosis: { places: [place] } }: ExaminedFailure): string | undefined =>
  owner ?? place?.name;

const samePlace = (a: SourcePlace, b: SourcePlace): boolean => a.path === b.path && a.line === b.line;

/** The failure of a group that knows most of its cause. */
const firmest = (group: readonly ExaminedFailure[]): ExaminedFailure =>
  group.find(({ strength }) => strength === "trace") ??
    group.find(({ strength }) => strength === "clue") ?? group[0]!;

function describe(group: readonly ExaminedFailure[], id: string): FailureGroup {
  const { cause, diagnosis: { category, places: [place] } } = firmest(group);
  return {
    id,
    category,
    cause,
    ...(place === undefined ? {} : { place }),
    testIds: group.map(({ diagnosis }) => diagnosis.testId),
  };
}

/**
 * Category and place make an id. Several causes in one function are told apart by their words, all of them: one that
 * remains must not get the id of one that is gone.
 */
function idsOf(causes: readonly ExaminedFailure[]): string[] {
  const plain = causes.map((cause) => idOf(cause, ""));
  const apart = causes.map((cause, index) =>
    isAlone(plain, index) ? plain[index]! : idOf(cause, cause.words)
  );
  return apart.map((id, index) => {
    const before = apart.slice(0, index).filter((other) => other === id).length;
    return before === 0 ? id : `${id}-${before + 1}`;
  });
}

const isAlone = (ids: readonly string[], index: number): boolean =>
  !ids.some((id, other) => other !== index && id === ids[index]);

function idOf(cause: ExaminedFailure, words: string): string {
  const { missing, diagnosis: { category, places: [place] } } = cause;
  const where = place ? `${place.path} ${nameOf(cause) ?? place.line}` : cause.words;
  const mark = words === "" ? missing ?? where : `${missing ?? where} ${words}`;
  return `${category}-${createHash("sha256").update(mark).digest("hex").slice(0, 6)}`;
}

/**
 * Error words with what differs from call to call taken out: the tool's name, values of the input and quoted parts of
 * them, folders, ids, numbers.
 */
export function commonWords(text: string, tool: string | undefined, input: unknown): string {
  const values = textsIn(input).filter((value) => value.length > 1);
  const known = values.join("\n").toLowerCase();
  return [...tool === undefined || tool.length < 2 ? [] : [tool], ...values]
    .reduce((words, value) => words.replaceAll(value, "…"), text)
    .replaceAll(
      /(["'`])([^"'`\n]{2,200})\1/g,
      (whole, mark, quoted) => known.includes(String(quoted).toLowerCase()) ? `${mark}…${mark}` : whole,
    )
    .replaceAll(/(?:\/[\w.@~+-]+)+\/(?=[\w.@~+-])/g, "…/")
    .replaceAll(/\b(?=[\da-f-]*\d)(?=[\da-f-]*[a-f])[\da-f]{4,}(?:-[\da-f]{4,})*\b/gi, "#")
    .replaceAll(/(?<![A-Za-z_$\d])\d+(?:\.\d+)?/g, "#").trim().slice(0, 500);
}

/** Every text in a value, the longest first, so that none hides behind a part of it. */
function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  const collect = (each: unknown): void => {
    if (typeof each === "string") texts.push(each);
    else if (typeof each === "object" && each !== null) Object.values(each).forEach(collect);
  };
  collect(value);
  return texts.sort((a, b) => b.length - a.length);
}
