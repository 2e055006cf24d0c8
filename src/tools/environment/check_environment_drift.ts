import { z } from "zod";
import { cleanVerificationText, driftText } from "../drift_text.ts";
import { detail } from "../fields.ts";
import { defineTool, requestOptions } from "../tool.ts";

const mostChanges = 40;
const mostTests = 50;

export default defineTool({
  title: "Check the environment for drift",
  description:
    "Compare packages, services, timers, cron jobs, users, groups, ports, configuration (as a diff), kernel, mounts, network and files outside " +
    "the source (modes, owners, links) with the state right after provisioning. Use it before a final verdict: tests that pass only in a drifted " +
    "environment prove little. With reprovision: true it also replaces the environment by a new one, loads the plugin again, runs the whole " +
    "suite, and names the tests that passed only in the old one.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input: z.strictObject({
    reprovision: z.boolean().exactOptional().describe(
      "true: also verify in a new environment. Snapshots are gone then. Default: only look.",
    ),
    detail,
  }),
  async run({ reprovision, detail }, context) {
    const session = context.harness.session();
    if (!reprovision) {
      const report = await session.drift(requestOptions(context));
      return { text: driftText(report, detail), data: driftData(report, detail) };
    }
    const verification = await session.verifyClean({}, requestOptions(context));
    const { drift, driftUnknown, summary, onlyDirty, onlyClean, failed, compared } = verification;
    const rows = (results: typeof failed) =>
      results.slice(0, mostTests).map(({ id, name, message }) => ({ id, name, message }));
    return {
      text: cleanVerificationText(verification),
      data: {
        ...(drift === undefined ? { driftUnknown } : driftData(drift, detail)),
        verification: {
          summary,
          compared,
          onlyDirty: rows(onlyDirty),
          onlyClean: rows(onlyClean),
          failed: rows(failed),
        },
      },
    };
  },
});

type Report = Parameters<typeof driftText>[0];

const driftData = ({ drifted, changes, ignored = [], unseen = [] }: Report, detail?: boolean) => ({
  drifted,
  total: changes.length,
  changes: detail ? changes : changes.slice(0, mostChanges),
  ignored,
  unseen,
});
