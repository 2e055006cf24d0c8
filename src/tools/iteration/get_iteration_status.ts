import { z } from "zod";
import type { FailureGroup } from "../../../machines/model/diagnosis.ts";
import type { IterationRecord } from "../../../machines/model/iteration.ts";
import type { IterationStatus } from "../../harness.ts";
import { convergenceText } from "../../iteration/texts.ts";
import { detail } from "../fields.ts";
import { recordData } from "../iteration_text.ts";
import { defineTool } from "../tool.ts";
import { count, duration, firstLine, lines, listed } from "../words.ts";

const recordsShown = 15;

export default defineTool({
  title: "Say how far the loop has come",
  description:
    "Iterations so far with what each did, the progress of passing tests, the trend with a suggestion, root causes that were found last, and how " +
    "long PTH's own steps took. Allowed while an iteration is under way: it then says in which phase it is.",
  annotations: { readOnlyHint: true },
  input: z.strictObject({ detail }),
  run({ detail }, { harness }) {
    const status = harness.session().iterationStatus();
    const records = detail ? status.records : status.records.slice(-recordsShown);
    return Promise.resolve({
      text: statusText(status),
      data: { ...status, records: records.map(recordData) },
    });
  },
});

function statusText({ iteration, phase, records, convergence, groups, timings }: IterationStatus): string {
  const under = phase === "idle" ? "no iteration is under way" : `iteration ${iteration}: ${phase}`;
  const rows = records.map(recordRow);
  return lines(
    `Now: ${under}`,
    convergenceText(convergence, records.length),
    rows.length > recordsShown &&
      `… ${count(rows.length - recordsShown, "iteration")} before; ask with detail: true`,
    ...rows.slice(-recordsShown),
    groups.length > 0 && "Root causes, as diagnosed last:",
    ...listed(groups.map(groupRow), 10),
    timingsText(timings),
    records.length === 0 && phase === "idle" && "Next: pth_run_iteration({}).",
  );
}

function recordRow({ number, before, after, fixes, refused, broken }: IterationRecord): string {
  const figures = after.loadError === undefined
    ? `${before.passed} → ${after.passed} of ${after.total} pass`
    : "the plugin does not load";
  const facts = [
    figures,
    fixes.length === 1 ? "1 fix" : `${fixes.length} fixes`,
    refused.length > 0 && `${refused.length} refused`,
    broken.length > 0 && `broke ${listed(broken.map((name) => firstLine(name, 60)), 3).join(", ")}`,
  ].filter((fact) => fact !== false);
  return `- iteration ${number}: ${facts.join("; ")}`;
}

const groupRow = ({ category, cause, place, testIds }: FailureGroup): string =>
  `- ${category}${place ? ` at ${place.path}:${place.line}` : ""}: ${firstLine(cause)} (${
    count(testIds.length, "test")
  })`;

function timingsText(timings: IterationStatus["timings"]): string | undefined {
  const parts = Object.entries(timings).filter(([, ms]) => typeof ms === "number")
    .map(([name, ms]) => `${name.replace(/_ms$/, "")} ${duration(ms as number)}`);
  return parts.length === 0 ? undefined : `Latest durations: ${parts.join(", ")}`;
}
