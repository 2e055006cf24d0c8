import { z } from "zod";
import type { FailureGroup } from "../../../machines/model/diagnosis.ts";
import type { IterationRecord, Standing } from "../../../machines/model/iteration.ts";
import type { IterationStatus } from "../../harness.ts";
import { convergenceText } from "../../iteration/texts.ts";
import { staleText } from "../../testing/stale_text.ts";
import { cutLists } from "../capped.ts";
import { detailData, detailKinds, detailText } from "../detail_text.ts";
import { groupData, groupsGiven } from "../diagnosis_text.ts";
import { recordData, standingData } from "../iteration_text.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { count, duration, firstLine, lines, listed } from "../words.ts";

const recordsShown = 15;

export default defineTool({
  title: "Say how far the loop has come",
  description:
    "Iterations so far with what each did, the progress of passing tests, the trend with a suggestion, root causes that were found last, and how " +
    "long PTH's own steps took. Allowed while an iteration is under way: it then says in which phase it is. With detail it answers what " +
    "summaries leave out, in place of the status: the raw JSON-RPC exchange or the output of a test, one fix's diff, the build's output, or " +
    "where the environment's disk, memory and processor time go.",
  annotations: { readOnlyHint: true },
  input: z.strictObject({
    detail: z.union([z.boolean(), z.enum(detailKinds)]).exactOptional()
      .describe(
        "true: every iteration. exchange, stderr: of a test of the latest run, also one that passed. diff: of one fix. build: output of " +
          "the latest build. resources: of the environment.",
      ),
    test: z.string().min(1).exactOptional()
      .describe(
        "Id or name, with exchange or stderr. Absent: what the running servers said last, also in calls by hand.",
      ),
    commit: z.string().min(4).exactOptional()
      .describe("With diff: the commit or its beginning. Absent: the newest fix."),
  }),
  async run({ detail, ...of }, context) {
    const session = context.harness.session();
    if (typeof detail === "string") {
      const answer = await session.detail({ kind: detail, ...of }, requestOptions(context));
      return { text: detailText(answer), data: detailData(answer) };
    }
    const status = session.iterationStatus();
    const records = detail ? status.records : status.records.slice(-recordsShown);
    const { groups, standing, ...facts } = status;
    return {
      text: statusText(status),
      data: {
        ...facts,
        records: records.map(recordData),
        ...cutLists({ groups: groups.map(groupData) }, groupsGiven),
        ...(standing && { standing: standingData(standing) }),
      },
    };
  },
});

function statusText(
  { iteration, phase, records, convergence, groups, operations, stale }: IterationStatus,
): string {
  const under = phase === "idle" ? "no iteration is under way" : `iteration ${iteration}: ${phase}`;
  const rows = records.map(recordRow);
  return lines(
    `Now: ${under}`,
    convergenceText(convergence, records.length),
    stale && `Since then: ${staleText(stale)}`,
    rows.length > recordsShown &&
      `… ${count(rows.length - recordsShown, "iteration")} before; ask with detail: true`,
    ...rows.slice(-recordsShown),
    groups.length > 0 && "Root causes, as diagnosed last:",
    ...listed(groups.map(groupRow), 10),
    timingsText(operations),
    records.length === 0 && phase === "idle" && "Next: pth_run_iteration({}).",
  );
}

const passing = ({ passed, total, loadError }: Standing): string =>
  loadError === undefined ? `${passed} of ${total}` : "not loaded";

function recordRow({ number, before, after, fixes, refused, broken, shortened }: IterationRecord): string {
  const figures = after.loadError === undefined
    ? `${before.total === after.total ? before.passed : passing(before)} → ${passing(after)} pass`
    : "the plugin does not load";
  const facts = [
    figures,
    shortened ? "no more is kept of it" : fixes.length === 1 ? "1 fix" : `${fixes.length} fixes`,
    refused.length > 0 && `${refused.length} refused`,
    broken.length > 0 && `broke ${listed(broken.map((name) => firstLine(name, 60)), 3).join(", ")}`,
  ].filter((fact) => fact !== false);
  return `- iteration ${number}: ${facts.join("; ")}`;
}

const groupRow = ({ category, cause, place, testIds }: FailureGroup): string =>
  `- ${category}${place ? ` at ${place.path}:${place.line}` : ""}: ${firstLine(cause)} (${
    count(testIds.length, "test")
  })`;

function timingsText(operations: IterationStatus["operations"]): string | undefined {
  const parts = Object.entries(operations).map(([name, { count, lastMs, totalMs }]) =>
    `${name} ${duration(lastMs)}${count > 1 ? ` (${count} times, ${duration(totalMs)})` : ""}`
  );
  return parts.length === 0 ? undefined : `Latest durations: ${parts.join(", ")}`;
}
