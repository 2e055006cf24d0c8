import { join } from "node:path";
import * as z from "zod";
import { detailField } from "../fields.ts";
import { limitItems } from "../limit_items.ts";
import { omittedRows } from "../output/test_result_schema.ts";
import { defineTool } from "../tool.ts";

export default defineTool({
  title: "Lint definitions",
  description:
    "Look over the plugin's manifest, skills, commands, agents, hooks and marketplace without starting anything. " +
    "Answers findings with place and what to do.",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({ detail: detailField }),
  output: z.object({
    errors: z.number(),
    warnings: z.number(),
    findings: z.array(z.unknown()),
    leftOut: omittedRows,
  }),
  async run({ detail }, context) {
    const [{ lintDefinitions }, { hostPluginFiles }, { renderDefinitions }] = await Promise.all([
      import("../../definition_lint/lint_definitions.ts"),
      import("../../definition_lint/plugin_files.ts"),
      import("../../definition_lint/render_definitions.ts"),
    ]);
    const { worktree, subfolder } = context.harness.session().info().source;
    const report = await lintDefinitions(await hostPluginFiles(join(worktree, subfolder)));
    const { rows, leftOut } = limitItems(report.findings, detail);
    const errors = report.findings.filter(({ severity }) => severity === "error").length;
    return {
      text: renderDefinitions(report).trimEnd(),
      data: {
        errors,
        warnings: report.findings.length - errors,
        findings: rows,
        ...(leftOut === undefined ? {} : { leftOut }),
      },
    };
  },
});
