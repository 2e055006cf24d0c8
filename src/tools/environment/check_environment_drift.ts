import * as z from "zod";
import type { Session } from "../../api/harness.ts";
import { limitLists } from "../limit_items.ts";
import { cleanRunText, driftText } from "../text/drift_text.ts";
import { detailField } from "../fields.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { joinLines } from "../text/join_lines.ts";

const suiteCounts = z.object({
  total: z.number(),
  passed: z.number(),
  failed: z.number(),
  skipped: z.number(),
  flaky: z.number(),
  durationMs: z.number(),
});

const change = z.object({
  group: z.string(),
  change: z.enum(["added", "removed", "changed"]),
  name: z.string(),
  detail: z.string().optional(),
  diff: z.string().optional(),
  byLoad: z.boolean().optional().describe("Came with the plugin's load."),
});

const results = z.array(z.object({ id: z.string(), name: z.string(), message: z.string().optional() }));

const driftSchema = z.object({
  driftUnknown: z.string().optional().describe("Why there is no comparison; then nothing of it is here."),
  drifted: z.boolean().optional(),
  total: z.number().optional().describe("All changes; without detail the first of them follow."),
  changes: z.array(change).optional(),
  ignored: z.array(z.object({ what: z.string(), why: z.string(), count: z.number() })).optional(),
  unseen: z.array(z.object({ what: z.string(), why: z.string() })).optional(),
  verification: z.object({
    summary: suiteCounts,
    compared: z.number().describe("Tests with an earlier result."),
    onlyDirty: results.describe("Passed only in the old environment."),
    onlyClean: results.describe("Failed only in the old environment."),
    failed: results,
    leftOut: z.record(z.string(), z.number()).optional().describe("Rows left out, by list."),
  }).optional(),
});

const mostChanges = 40;
const mostTests = 50;

export default defineTool({
  title: "Check the environment for drift",
  description:
    "Compare the system (packages, services, users, ports, configuration, files outside the source …) with its state right after " +
    "provisioning. With reprovision: true also replace the environment by a new one, load the plugin, run the suite, and name the tests " +
    "that passed only in the old one: the final proof.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    reprovision: z.boolean().exactOptional()
      .describe("true: also verify in a new environment; snapshots are gone then."),
    detail: detailField,
  }),
  output: driftSchema,
  async run({ reprovision, detail }, context) {
    const session = context.harness.session();
    if (!reprovision) {
      const report = await session.environment.drift(requestOptions(context));
      const text = joinLines(driftText(report, detail), report.drifted && nextText(session));
      return { text, data: driftData(report, detail) };
    }
    const verification = await session.tests.runClean({}, requestOptions(context));
    const { drift, driftUnknown, summary, compared, ...results } = verification;
    const rows = {
      onlyDirty: brief(results.onlyDirty),
      onlyClean: brief(results.onlyClean),
      failed: brief(results.failed),
    };
    return {
      text: cleanRunText(verification, detail),
      data: {
        ...(drift === undefined ? { driftUnknown } : driftData(drift, detail)),
        verification: { summary, compared, ...limitLists(rows, detail ? Infinity : mostTests) },
      },
    };
  },
});

type Report = Parameters<typeof driftText>[0];

const nextText = (session: Session): string =>
  session.plugin.status().tools > 0
    ? "Next: pth_check_environment_drift({ reprovision: true }) shows which tests depend on that."
    : "Next: pth_reprovision_environment({}) for a clean one.";

const brief = (results: Awaited<ReturnType<Session["tests"]["runClean"]>>["failed"]) =>
  results.map(({ id, name, message }) => ({ id, name, message }));

const driftData = ({ drifted, changes, ignored = [], unseen = [] }: Report, detail?: boolean) => ({
  drifted,
  total: changes.length,
  changes: detail ? changes : changes.slice(0, mostChanges),
  ignored,
  unseen,
});
