/** The matrix as rows of text, the same for every reporter: its environments, and the tests that differ. */
import type { MatrixEntryReport, MatrixReport } from "../../machines/model/matrix.ts";
import { groupBy } from "../core/values.ts";
import { whereItFails } from "./compare_entries.ts";
import { count } from "../core/text.ts";

export interface TextTable {
  head: string[];
  rows: string[][];
}

/** An environment in a row: what it is, what it came to, how long it took. */
export function entriesTable(
  { entries }: MatrixReport,
  duration: (milliseconds: number) => string,
): TextTable {
  const fixing = entries.some(({ fixes, failedFirst }) => fixes !== undefined || failedFirst !== undefined);
  return {
    head: [
      "environment",
      "image",
      "tests",
      "passed",
      "failed",
      "skipped",
      "time",
      ...(fixing ? ["fixes"] : []),
    ],
    rows: entries.map((entry) => [
      entry.name,
      imageText(entry),
      ...figures(entry),
      duration(entry.durationMs),
      ...(fixing ? [fixesText(entry)] : []),
    ]),
  };
}

const imageText = ({ environment }: MatrixEntryReport): string =>
  environment === undefined ? "–" : `${environment.runtime} (${environment.image}), ${environment.os}`;

const figures = ({ summary, state }: MatrixEntryReport): string[] =>
  summary === undefined
    ? ["–", "–", state, "–"]
    : [summary.total, summary.passed + summary.flaky, summary.failed, summary.skipped].map(String);

function fixesText({ fixes = [], failedFirst = [], untestedFixes = 0 }: MatrixEntryReport): string {
  const made = fixes.length === 0
    ? failedFirst.length === 0 ? "" : `none (${count(failedFirst.length, "test")} failed)`
    : `${fixes.length} (${count(failedFirst.length, "test")} failed before)`;
  const later = untestedFixes === 0
    ? ""
    : `not tested with ${untestedFixes} later ${untestedFixes === 1 ? "fix" : "fixes"}`;
  return [made, later].filter((part) => part !== "").join("; ");
}

/** A test in a row: its status in each environment, where it fails and why. */
export function differencesTable({ entries, differences }: MatrixReport, most = Infinity): TextTable {
  const shown = entries.filter(({ name }) =>
    differences.some(({ statuses }) => statuses[name] !== undefined)
  );
  return {
    head: ["test", ...shown.map(({ name }) => name), "fails", "because"],
    rows: differences.slice(0, most).map((difference) => [
      difference.name,
      ...shown.map(({ name }) => difference.statuses[name] ?? "–"),
      whereItFails(difference),
      causeText(difference.cause),
    ]),
  };
}

function causeText(cause: MatrixReport["differences"][number]["cause"]): string {
  if (cause === undefined) return "";
  const { category, message, place } = cause;
  return [category, message, place && `(${place})`].filter((part) => part !== undefined).join(" ");
}

/** Sums up in one sentence which failures belong to one distribution, which to all, and which were fixed since. */
export function matrixVerdict({ entries, differences }: MatrixReport): string {
  const broken = entries.filter(({ state }) => state === "broken").map(({ name }) => name);
  const idle = entries.filter(({ state, summary }) =>
    (state === "passed" || state === "failed") && summary !== undefined && summary.total === summary.skipped
  ).map(({ name }) => name);
  const open = entries.filter(({ state }) => state === "cancelled");
  const cut = open.filter(({ environment }) => environment !== undefined).map(({ name }) => name);
  const unseen = open.filter(({ environment }) => environment === undefined).map(({ name }) => name);
  const failing = differences.filter(({ failsOn }) => failsOn.length > 0);
  const mended = entries.every(({ state }) => state === "passed");
  const places = [...groupBy(failing, whereItFails)].map(([where, { length }]) =>
    `${count(length, "test")} ${mended ? "failed" : length === 1 ? "fails" : "fail"} ${where}`
  );
  const parts = [
    ...places,
    ...(broken.length === 0 ? [] : [`not tested: ${broken.join(", ")}`]),
    ...(idle.length === 0 ? [] : [`no test was judged: ${idle.join(", ")}`]),
    ...(unseen.length === 0 ? [] : [`not tested yet: ${unseen.join(", ")}`]),
    ...(cut.length === 0 ? [] : [`cut short: ${cut.join(", ")}`]),
    ...(mended && failing.length > 0 ? ["all pass now"] : []),
  ];
  return parts.length === 0 ? "no test fails on any of them" : parts.join("; ");
}
