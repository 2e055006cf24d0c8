import { z } from "zod";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { capped } from "../capped.ts";
import { detail } from "../fields.ts";
import { groupBy } from "../../values.ts";
import { findingsText } from "../results_text.ts";
import { count, lines, listed } from "../words.ts";
import { defineTool, requestOptions } from "../tool.ts";

const brief = ({ id, name, tool }: TestCase) => ({ id, name, ...(tool === undefined ? {} : { tool }) });

export default defineTool({
  title: "Generate tests",
  description:
    "Propose tests from the schemas of the plugin's tools: valid, boundary and invalid inputs, and checks of the server as a whole. Tools " +
    "that call themselves destructive are held back unless asked for. The tests join the session's; nothing runs yet. Next: " +
    "pth_run_test_suite({}).",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  input: z.strictObject({
    tools: z.array(z.string().min(1)).exactOptional().describe("Only for these plugin tools. Absent: all."),
    includeHeldBack: z.boolean().exactOptional().describe("true: also destructive and open-world tools."),
    detail,
  }),
  async run({ detail, ...generate }, context) {
    const generated = await context.harness.session().generateTests(generate, requestOptions(context));
    const { tests, findings, heldBack } = generated;
    const { rows: shown, leftOut } = capped<object>(detail ? tests : tests.map(brief), detail);
    const perTool = groupBy(tests, (test) => test.tool ?? "the server");
    const rows = [...perTool].map(([tool, group]) => `- ${tool}: ${group.length}`);
    return {
      text: lines(
        `${count(tests.length, "test")} for ${count(perTool.size, "subject")}`,
        ...listed(rows, 50),
        ...listed(heldBack.map(({ tool, reason }) => `Held back: ${tool} (${reason})`), 20),
        findingsText(findings),
        "Next: pth_run_test_suite({}).",
      ),
      data: {
        total: tests.length,
        tests: shown,
        ...(leftOut === undefined ? {} : { leftOut }),
        findings: capped(findings, detail).rows,
        heldBack,
      },
    };
  },
});
