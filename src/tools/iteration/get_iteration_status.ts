import { z } from "zod";
import type { IterationStatus } from "../../api/harness.ts";
import { limitLists } from "../limit_items.ts";
import { detailData, detailKinds, detailText } from "../text/detail_text.ts";
import { groupData, groupsGiven } from "../diagnosis_data.ts";
import { detailField } from "../fields.ts";
import { recordData, testStatusData } from "../outcome_data.ts";
import { statusText } from "../text/status_text.ts";
import { iterationStatus } from "../output/iteration_status.ts";
import { defineTool, readsOnly, requestOptions } from "../tool.ts";

const recordsGiven = 15;

export default defineTool({
  title: "Say how far the loop has come",
  description:
    "Iterations so far, the progress and trend, root causes found last, durations; also while an iteration is under way. With show, in " +
    "place of that, what summaries leave out: a test's exchange or output, one fix's diff, the build's output, use of disk and memory.",
  annotations: readsOnly,
  input: z.strictObject({
    show: z.array(z.enum(detailKinds)).min(1).exactOptional()
      .describe("exchange, stderr: of any test of the latest run. diff: of one fix. build: the latest."),
    test: z.string().min(1).exactOptional()
      .describe(
        "Id or name, for exchange and stderr. Absent: the servers' last words, calls by hand included.",
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
