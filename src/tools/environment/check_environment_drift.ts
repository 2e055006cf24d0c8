import { z } from "zod";
import { detail } from "../fields.ts";
import { count, lines } from "../words.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Check the environment for drift",
  description:
    "Compare packages, services, users, ports, configuration and files outside the source with the state right after provisioning. Use it " +
    "before a final verdict: tests that pass only in a drifted environment prove little. Cure: pth_reprovision_environment({}).",
  annotations: { readOnlyHint: true },
  input: z.strictObject({ detail }),
  async run({ detail }, context) {
    const { drifted, changes } = await context.harness.session().drift(requestOptions(context));
    const shown = detail ? changes : changes.slice(0, 40);
    const rows = shown.map((change) =>
      `- ${change.group} ${change.name} ${change.change}${change.detail ? `: ${change.detail}` : ""}`
    );
    const hidden = changes.length - shown.length;
    return {
      text: lines(
        drifted
          ? `Drifted: ${count(changes.length, "change")} since provisioning`
          : "No drift since provisioning.",
        ...rows,
        hidden > 0 && `… ${hidden} more; ask with detail: true`,
      ),
      data: { drifted, total: changes.length, changes: shown },
    };
  },
});
