import * as z from "zod";
import type { InstallCheckResult } from "../../../machines/model/install_check.ts";
import { defineTool, requestOptions } from "../tool.ts";

const usualSeconds = 600;

export default defineTool({
  title: "Verify the installation",
  description:
    "Pack the plugin, install it in the environment as its users do (npm, Claude Code marketplace, MCPB, pi, wheel, crate), start " +
    "it, and compare it with its source. Answers what is missing there; faults are no error.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    kinds: z.array(z.string().min(1)).exactOptional().describe(
      "npm, claude-plugin … Default: all that it is.",
    ),
    source: z.boolean().default(true).describe("false: do not start the source to compare its tools."),
    suite: z.boolean().default(false).describe("true: run its tests on what was installed."),
    timeoutSeconds: z.number().positive().default(usualSeconds).describe("Of each kind."),
  }),
  output: z.object({
    faults: z.number(),
    checks: z.array(z.object({ kind: z.string(), name: z.string(), faults: z.array(z.unknown()) })),
  }),
  async run({ kinds, source, suite, timeoutSeconds }, context) {
    const { renderInstallChecks } = await import("../../install_checks/render_install_checks.ts");
    const { installs } = context.harness.session();
    const checks: InstallCheckResult[] = [];
    for (const kind of kinds ?? await installs.kinds()) {
      const request = { kind, source, suite, timeoutMs: timeoutSeconds * 1000 };
      checks.push(await installs.check(request, requestOptions(context)));
    }
    return {
      text: renderInstallChecks(checks).trimEnd(),
      data: {
        faults: checks.reduce((sum, { faults }) => sum + faults.length, 0),
        checks: checks.map(({ kind, name, faults }) => ({ kind, name, faults })),
      },
    };
  },
});
