/** Tells a model that drives the verification across distributions what it came to. */
import type { MatrixOutcome, MatrixReport } from "../../../machines/model/matrix.ts";
import { differencesTable, entriesTable, matrixVerdict, type TextTable } from "../../matrix/matrix_table.ts";
import { diagnosisData, testStatusData } from "../outcome_data.ts";
import { diagnosisText } from "./diagnosis_text.ts";
import { duration } from "./join_lines.ts";
import { firstLine } from "../../core/text.ts";

const differencesShown = 15;
const differencesGiven = 50;
const commitsGiven = 20;

export function matrixText({ state, at, matrix, awaited, ...outcome }: MatrixOutcome): string {
  const parts = [
    `Distributions: ${matrixVerdict(matrix)}.`,
    tableText(entriesTable(matrix, duration)),
    ...(matrix.differences.length === 0 ? [] : [
      "Differences in the first run:",
      tableText(differencesTable(matrix, differencesShown)),
    ]),
    ...matrix.entries.flatMap(({ name, error }) =>
      error === undefined
        ? []
        : [`${name} was not tested: ${[firstLine(error.message, 300), ...error.next].join(" ")}`]
    ),
    ...(awaited?.diagnosis === undefined ? [] : [diagnosisText(awaited.diagnosis, { source: true })]),
    nextText(state, at, outcome.primaryVerified, matrix),
  ];
  return parts.join("\n\n");
}

const tableText = ({ head, rows }: TextTable): string =>
  [head, ...rows].map((row) => `| ${row.map((cell) => firstLine(cell, 100)).join(" | ")} |`).join("\n");

function nextText(
  state: MatrixOutcome["state"],
  at: string | undefined,
  primaryVerified: boolean | undefined,
  { entries }: MatrixReport,
): string {
  if (state === "complete") {
    const stale = entries.filter(({ untestedFixes = 0 }) => untestedFixes > 0).map(({ name }) => name);
    return stale.length === 0
      ? "Next: complete, every distribution passes and the primary one again. pth_end_session({})."
      : `Next: complete. Fixes came after ${
        stale.join(", ")
      } passed: to be sure, verify again. pth_end_session({}).`;
  }
  if (state === "awaiting_fixes") {
    return `Next: the environment is now ${at}. pth_verify_cross_distro({ fixes: [{ tests, category, title, edits, distro }] }), with ` +
      "distro if a fix is only for it, without if it is right for all; or { skip: true } to leave it.";
  }
  if (state === "cancelled") {
    return `Next: cancelled; the environment is now ${at}, commits stay. Call again to verify.`;
  }
  return primaryVerified === false
    ? "Next: not complete, the primary distribution no longer passes. pth_run_iteration({}) says why; pth_revert_fix undoes a fix."
    : "Next: not complete. Fix what is left (the environment is the primary one again; verify again with the distribution's image).";
}

export function matrixData({ matrix, awaited, fixes, ...outcome }: MatrixOutcome) {
  return {
    ...outcome,
    matrix: { ...matrix, differences: matrix.differences.slice(0, differencesGiven) },
    ...(matrix.differences.length > differencesGiven ? { differences: matrix.differences.length } : {}),
    fixes: fixes.slice(0, commitsGiven).map(({ commit, title, distro }) => ({
      commit,
      title,
      ...(distro === undefined ? {} : { distro }),
    })),
    ...(awaited === undefined ? {} : {
      iteration: awaited.iteration,
      standing: testStatusData(awaited.standing),
      ...(awaited.diagnosis === undefined ? {} : { diagnosis: diagnosisData(awaited.diagnosis) }),
    }),
  };
}
