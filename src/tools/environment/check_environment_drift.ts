import { z } from "zod";
import type { Session } from "../../api/harness.ts";
import { limitLists } from "../limit_items.ts";
import { cleanRunText, driftText } from "../text/drift_text.ts";
import { detailField } from "../fields.ts";
import { driftSchema } from "../output/drift_schema.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { joinLines } from "../text/format.ts";

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
    ? "Next: pth_check_environment_drift({ reprovision: true }) shows which tests rest on that."
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
