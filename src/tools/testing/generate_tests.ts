import { z } from "zod";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { capped } from "../capped.ts";
import { detail } from "../fields.ts";
import { signals } from "../../testing/signals.ts";
import { definedOnly, groupBy } from "../../values.ts";
import { findingsText } from "../results_text.ts";
import { count, lines, listed } from "../words.ts";
import { defineTool, requestOptions } from "../tool.ts";

const brief = ({ id, name, tool, origin }: TestCase) => definedOnly({ id, name, tool, origin });

/** "12 from schema, 3 from documentation". */
const bySignal = (counts: Iterable<readonly [string, number]>): string =>
  [...counts].map(([signal, number]) => `${number} from ${signal}`).join(", ");

export default defineTool({
  title: "Generate tests",
  description:
    "Propose tests from every signal: the tools' schemas (valid, boundary and invalid inputs, checks of the server), the plugin's source " +
    "(error branches, tools that need each other), README and docs (examples, workflows) and its options. Each says where it came from; what " +
    "the session has already is not proposed again. Tools that call themselves destructive are held back unless asked for. The tests join " +
    "the session's; nothing runs yet. Next: pth_run_test_suite({}).",
  core: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  input: z.strictObject({
    tools: z.array(z.string().min(1)).exactOptional().describe("Only for these plugin tools. Absent: all."),
    from: z.array(z.enum(signals)).min(1).exactOptional().describe(
      "Signals to use. Absent: all. schema alone expects nothing that an honest server need not keep.",
    ),
    includeHeldBack: z.boolean().exactOptional().describe("true: also destructive and open-world tools."),
    maxTests: z.number().int().min(1).exactOptional().describe(
      "Input tests from schemas at most. Absent: 2500.",
    ),
    detail,
  }),
  async run({ detail, from = [...signals], ...generate }, context) {
    const session = context.harness.session();
    const generated = await session.generateTests({ ...generate, from }, requestOptions(context));
    const { tests, findings, heldBack, known = {} } = generated;
    const { rows: shown, leftOut } = capped<object>(detail ? tests : tests.map(brief), detail);
    const perTool = groupBy(tests, (test) => test.tool ?? (test.steps ? "scenarios" : "the server"));
    const perSignal = [...groupBy(tests, (test) => test.generatedFrom)]
      .map(([signal, group]) => [signal, group.length] as const);
    const rows = [...perTool].map(([tool, group]) => `- ${tool}: ${group.length}`);
    return {
      text: lines(
        `${count(tests.length, "test")} for ${count(perTool.size, "subject")}`,
        perSignal.length > 1 ? bySignal(perSignal) : undefined,
        Object.keys(known).length > 0
          ? `Not proposed again, as the session has them: ${bySignal(Object.entries(known))}`
          : undefined,
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
        known,
      },
    };
  },
});
