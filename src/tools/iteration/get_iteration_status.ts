import * as z from "zod";
import type { IterationStatus } from "../../api/harness.ts";
import { limitLists } from "../limit_items.ts";
import { detailData, detailKinds, detailText } from "../text/detail_text.ts";
import { groupData, groupsGiven, recordData, testStatusData } from "../outcome_data.ts";
import { detailField } from "../fields.ts";
import { defineTool, readsOnly, requestOptions } from "../tool.ts";
import { failureGroup, omittedByList } from "../output/diagnosis.ts";
import { convergenceSchema, iterationRecord, testStatusSchema } from "../output/iteration.ts";
import type { FailureGroup } from "../../../machines/model/diagnosis.ts";
import { convergenceText } from "../../fixers/iteration_texts.ts";
import { staleText } from "../../testing/report/results_verdict.ts";
import { iterationRow } from "../text/outcome_text.ts";
import { duration, joinLines, limitedList } from "../text/join_lines.ts";
import { count, firstLine } from "../../core/text.ts";

const text = z.string().exactOptional();

const call = z.object({
  sequence: z.number().describe("From 1; 0: outside of calls."),
  method: z.string(),
  tool: text,
  durationMs: z.number().exactOptional(),
  messages: z.array(z.object({
    at: z.number().describe("Milliseconds since the epoch."),
    direction: z.enum(["sent", "received"]),
    message: z.unknown(),
  })),
});

const usage = z.object({
  disks: z.array(
    z.object({ mount: z.string(), totalMB: z.number(), usedMB: z.number(), freeMB: z.number() }),
  ),
  folders: z.array(z.object({ path: z.string(), usedMB: z.number() })),
  memory: z.object({ totalMB: z.number(), usedMB: z.number(), limited: z.boolean() }),
  cpu: z.object({ cpus: z.number(), load: z.array(z.number()) }),
  processes: z.array(z.object({
    command: z.string(),
    state: z.string(),
    memoryMB: z.number(),
    cpuSeconds: z.number(),
  })),
  processCount: z.number(),
});

/** Each kind has some of these. */
const shownDetail = z.object({
  kind: z.enum(["exchange", "stderr", "diff", "build", "resources"]),
  test: z.object({ id: z.string(), name: z.string(), status: text }).exactOptional(),
  note: text,
  calls: z.array(call).exactOptional(),
  stderr: text,
  stdout: z.array(z.string()).exactOptional(),
  fix: z.object({ commit: z.string(), title: z.string() }).exactOptional(),
  diff: text,
  system: text,
  install: text,
  build: text,
  output: text,
  error: text,
  health: z.object({ healthy: z.boolean(), problems: z.array(z.string()) }).exactOptional(),
  usage: usage.exactOptional(),
});

const phases = [
  "idle",
  "testing",
  "diagnosing",
  "awaiting fixes",
  "fixing",
  "reloading",
  "retesting",
  "confirming",
  "recording",
] as const;

export const iterationStatus = z.object({
  iteration: z.number().describe("Under way, else the latest; 0 before the first."),
  phase: z.enum(phases),
  records: z.array(iterationRecord),
  convergence: convergenceSchema,
  groups: z.array(failureGroup).describe("Failures as they were diagnosed last."),
  standing: testStatusSchema.exactOptional(),
  leftOut: omittedByList.exactOptional(),
  operations: z.record(
    z.string(),
    z.object({ count: z.number(), lastMs: z.number(), totalMs: z.number(), longestMs: z.number() }),
  ),
  shown: z.array(shownDetail).exactOptional().describe("With show: in that order."),
});

const recordsGiven = 15;

export default defineTool({
  title: "Get the loop's status",
  description:
    "Iterations so far, the progress and trend, root causes found last, durations; also during an iteration. With show, in " +
    "place of that, what summaries leave out: a test's exchange or output, one fix's diff, the build's output, use of disk and memory.",
  annotations: readsOnly,
  input: z.strictObject({
    show: z.array(z.enum(detailKinds)).min(1).exactOptional()
      .describe("exchange, stderr: of any test of the latest run. diff: of one fix. build: the latest."),
    test: z.string().min(1).exactOptional()
      .describe(
        "Id or name, for exchange and stderr. Absent: the end of the servers' stderr, manual calls included.",
      ),
    commit: z.string().min(4).exactOptional().describe("For diff. Absent: the newest fix."),
    detail: detailField,
  }),
  output: iterationStatus,
  async run({ detail = false, show = [], ...of }, context) {
    const session = context.harness.session();
    const status = session.loop.status();
    const data = statusData(status, detail);
    if (show.length === 0) return { text: statusText(status, detail), data };
    const shown = [];
    for (const kind of show) shown.push(await session.detail({ kind, ...of }, requestOptions(context)));
    return {
      text: shown.map((each) => detailText(each, detail)).join("\n\n"),
      data: { ...data, shown: shown.map(detailData) },
    };
  },
});

function statusData({ groups, standing, records, ...facts }: IterationStatus, detail: boolean) {
  return {
    ...facts,
    records: (detail ? records : records.slice(-recordsGiven)).map(recordData),
    ...limitLists({ groups: groups.map(groupData) }, groupsGiven),
    ...(standing && { standing: testStatusData(standing) }),
  };
}

const shownOf = { usual: { records: 8, groups: 5 }, detailed: { records: Infinity, groups: Infinity } };

export function statusText(status: IterationStatus, detail: boolean): string {
  const { iteration, phase, records, convergence, groups, operations, stale } = status;
  const most = shownOf[detail ? "detailed" : "usual"];
  const shown = detail ? records : records.slice(-most.records);
  const before = records.length - shown.length;
  return joinLines(
    `Now: ${phase === "idle" ? "no iteration is running" : `iteration ${iteration}: ${phase}`}`,
    convergenceText(convergence, records.length),
    stale && `Since then: ${staleText(stale)}`,
    before > 0 && `… ${count(before, "iteration")} before; ask with detail: true`,
    ...shown.map(iterationRow),
    groups.length > 0 && "Root causes, as diagnosed last:",
    ...limitedList(groups.map(groupRow), most.groups, "more; ask with detail: true"),
    timingsText(operations),
    nextText(status),
  );
}

const groupRow = ({ category, cause, place, testIds }: FailureGroup): string =>
  `- ${category}${place ? ` at ${place.path}:${place.line}` : ""}: ${firstLine(cause, 120)} (${
    count(testIds.length, "test")
  })`;

function timingsText(operations: IterationStatus["operations"]): string | undefined {
  const parts = Object.entries(operations).map(([name, { count, lastMs, totalMs }]) =>
    `${name} ${duration(lastMs)}${count > 1 ? ` (${count} times, ${duration(totalMs)})` : ""}`
  );
  return parts.length === 0 ? undefined : `Latest durations: ${parts.join(", ")}`;
}

function nextText({ phase, records, groups }: IterationStatus): string | undefined {
  if (phase === "awaiting fixes") {
    return "Next: pth_run_iteration({ fixes: [{ tests, category, title, edits }] }).";
  }
  if (phase !== "idle") return undefined;
  return records.length === 0 || groups.length > 0 ? "Next: pth_run_iteration({})." : undefined;
}
