/** A diagnosis for a model: root causes first, each said once, then what was asked for besides. */
import type {
  Diagnosis,
  DiagnosisReport,
  FailureGroup,
  SourcePlace,
} from "../../../machines/model/diagnosis.ts";
import { failureDetailText, type ShownDetail } from "./failure_detail_text.ts";
import { foldedNames } from "./folded_names.ts";
import { joinLines, limitedList } from "./join_lines.ts";
import { count, firstLine } from "../../core/text.ts";

interface DiagnosisTextOptions {
  /** Parts of each group's first failure. */
  show?: readonly ShownDetail[];
  /** All groups with all tests, and their parts uncut. */
  detail?: boolean | undefined;
  /** A few lines of the source around each place. */
  source?: boolean;
}

const shownOf = {
  /** Tests: rows of folded names, in all groups together. */
  usual: { groups: 6, rows: 30, tests: 24, parts: 3 },
  detailed: { groups: Infinity, rows: Infinity, tests: Infinity, parts: Infinity },
};
/** Groups that a few lines of the source are shown of, and lines on each side of the place. */
const excerpts = { groups: 4, beside: 3 };

export function diagnosisText(
  { groups, diagnoses }: DiagnosisReport,
  { show = [], detail = false, source = false }: DiagnosisTextOptions = {},
): string {
  if (groups.length === 0) return "No failure to diagnose: no test failed in its latest run.";
  const most = shownOf[detail ? "detailed" : "usual"];
  const byId = new Map(diagnoses.map((diagnosis) => [diagnosis.testId, diagnosis]));
  const shown = groups.slice(0, most.groups).map((group) => ({ group, first: byId.get(group.testIds[0]!)! }));
  const others = groups.slice(most.groups);
  const testsOfEach = Math.floor(most.tests / shown.length);
  const parts = show.length === 0 ? [] : shown.slice(0, most.parts);
  return joinLines(
    environmentText(diagnoses[0]!),
    `${count(diagnoses.length, "failure")}, ${count(groups.length, "root cause")}:`,
    ...shown.map(({ group, first }, index) =>
      groupText(group, first, index + 1, {
        tests: foldedNames(group.testIds.map((id) => byId.get(id)!.testName), testsOfEach),
        source: source && index < excerpts.groups,
      })
    ),
    ...limitedList(
      others.map((group, index) => groupRow(group, shown.length + index + 1)),
      most.rows,
      "more root causes",
    ),
    others.length > 0 && "Their tests and calls: pth_diagnose_failure({ detail: true }), or name a test.",
    ...parts.map(({ first }) => failureDetailText(first, show, detail)),
    parts.length < shown.length && parts.length > 0 &&
      `… ${shown.length - parts.length} more are not shown in detail: name a test, or detail: true`,
  );
}

const groupRow = ({ category, cause, place, testIds }: FailureGroup, number: number): string =>
  `${number}. ${category}${place ? ` at ${placeText(place)}` : ""} (${count(testIds.length, "test")}): ${
    firstLine(cause, 100)
  }`;

function groupText(
  { category, cause, place, testIds }: FailureGroup,
  first: Diagnosis,
  number: number,
  { tests, source }: { tests: string; source: boolean },
): string {
  const others = first.places.filter(({ path, line }) => path !== place?.path || line !== place.line)
    .slice(0, 2).map(placeText);
  const fixes = limitedList(
    first.previousFixes.map(({ commit, title }) => `${commit.slice(0, 8)} ${title}`),
    2,
  );
  return joinLines(
    `${number}. ${category}${place ? ` at ${placeText(place)}` : ""}`,
    `   ${firstLine(cause, 240)}`,
    callText(first),
    source && excerptText(first),
    others.length > 0 && `   see also: ${others.join(", ")}`,
    `   ${count(testIds.length, "test")}: ${tests}`,
    fixes.length > 0 && `   fixed before: ${fixes.join("; ")}`,
  );
}

/** Tells what the first of the tests called, and what came. */
function callText({ tool, input, expected, actual }: Diagnosis): string | false {
  if (tool === undefined) return false;
  const came = actual === undefined ? "" : `, got ${short(actual)}`;
  const wanted = expected === undefined ? "" : `: expected ${short(expected)}${came}`;
  return `   call: ${tool}(${input === undefined ? "" : short(input)})${wanted}`;
}

const short = (value: unknown): string => firstLine(JSON.stringify(value) ?? "nothing", 120);

const placeText = ({ path, line, name }: SourcePlace): string => `${path}:${line}${name ? ` (${name})` : ""}`;

/** A few lines around the likeliest place. */
function excerptText({ places: [place], excerpts: all }: Diagnosis): string | false {
  if (place === undefined) return false;
  for (const { path, from, text } of all) {
    const rows = text.split("\n");
    const at = place.line - from;
    if (path !== place.path || at < 0 || at >= rows.length) continue;
    const start = Math.max(0, at - excerpts.beside);
    return rows.slice(start, at + excerpts.beside + 1)
      .map((row, index) => `   ${String(from + start + index).padStart(5)} ${row.slice(0, 120)}`).join("\n");
  }
  return false;
}

/** Tells of a degraded environment before any test is blamed. */
const environmentText = ({ environment: { problems } }: Diagnosis): string | undefined =>
  problems.length === 0
    ? undefined
    : `The environment is degraded, which may be the cause: ${
      limitedList(problems, 3).join("; ")
    }. Make it whole first: pth_rollback_environment, or pth_reprovision_environment({}).`;
