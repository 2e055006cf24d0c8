import * as z from "zod";
import type { GeneratedTests } from "../../api/harness.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { limitItems } from "../limit_items.ts";
import { detailField } from "../fields.ts";
import { briefTest, excludedToolsSchema, testCaseSchema } from "../output/test_case_schema.ts";
import { findingSchema, omittedRows } from "../output/test_result_schema.ts";
import { signals } from "../../testing/generator.ts";
import { definedOnly, groupBy } from "../../core/values.ts";
import { findingsText } from "../text/results_text.ts";
import { countSignals, excludedToolRows, signalsText, subjectOf, testRows } from "../text/test_rows.ts";
import { joinLines, limitedList } from "../text/join_lines.ts";
import { count } from "../../core/text.ts";
import {
  learnedAnswer,
  learnedAnswerSchema,
  learnedInputField,
  learnedRows,
  learnRequest,
  unexercisedRows,
  unexercisedTools,
} from "./learned_answer.ts";
import { defineTool, requestOptions } from "../tool.ts";

const nothingGenerated: GeneratedTests = { tests: [], findings: [], heldBack: [] };

const brief = ({ id, name, tool, origin }: TestCase) => definedOnly({ id, name, tool, origin });

export default defineTool({
  title: "Generate tests",
  description:
    "Propose tests from tools' schemas, source, docs and options. They join the session's; nothing runs yet. Answers " +
    "counts, findings, tools excluded or refused the last run. Next: pth_run_test_suite({}).",
  core: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    tools: z.array(z.string().min(1)).exactOptional().describe("Only for these plugin tools."),
    from: z.array(z.enum(signals)).min(1).exactOptional().describe(
      "Default: all. schema alone asserts only what every valid server guarantees.",
    ),
    includeHeldBack: z.boolean().exactOptional().describe(
      "Also destructive and open-world tools; false: neither. Default: by environment.",
    ),
    learn: z.boolean().exactOptional().describe("Search inputs for tools that refuse."),
    inputs: z.array(learnedInputField).min(1).max(100).exactOptional().describe(
      "Tries these only; accepted ones become tests.",
    ),
    maxTests: z.number().int().min(1).exactOptional().describe(
      "Most tests from schemas. Default: 2500.",
    ),
    detail: detailField,
  }),
  output: z.object({
    total: z.number().int(),
    tests: z.array(z.union([testCaseSchema, briefTest])).readonly(),
    leftOut: omittedRows,
    findings: z.array(findingSchema).readonly(),
    heldBack: excludedToolsSchema,
    known: z.partialRecord(z.enum(signals), z.number().int()).describe("Not proposed again, by signal."),
    learned: learnedAnswerSchema.optional(),
    notExercised: z.array(z.object({ tool: z.string(), reason: z.string() })).readonly()
      .describe("By the last run."),
  }),
  async run({ detail, from = [...signals], learn = false, inputs, ...generate }, context) {
    const session = context.harness.session();
    const options = requestOptions(context);
    const generated = inputs === undefined
      ? await session.tests.generate({ ...generate, from }, options)
      : nothingGenerated;
    const learned = inputs !== undefined || learn
      ? await session.tests.learn(learnRequest(generate, inputs), options)
      : undefined;
    const tests = [...generated.tests, ...learned?.tests ?? []];
    const { findings, heldBack, known = {} } = generated;
    const left = unexercisedTools(generated);
    const { rows, leftOut } = limitItems(detail ? tests : tests.map(brief), detail);
    const perTool = [...groupBy(tests, subjectOf)].map(([subject, { length }]) => `${subject} ${length}`);
    return {
      text: joinLines(
        ...learned === undefined ? [] : learnedRows(learned),
        tests.length === 0
          ? "No new test"
          : `${count(tests.length, "test")} (${signalsText(countSignals(tests))}) for ${
            count(perTool.length, "subject")
          }: ${limitedList(perTool, 60).join(", ")}`,
        Object.keys(known).length > 0 &&
          `Not proposed again, as the session has them: ${signalsText(Object.entries(known))}`,
        ...(detail ? testRows(tests, detail) : []),
        ...excludedToolRows(heldBack),
        findingsText(findings, detail),
        ...unexercisedRows(left, detail),
        "Next: pth_run_test_suite({}).",
      ),
      data: {
        total: tests.length,
        tests: rows,
        ...(leftOut === undefined ? {} : { leftOut }),
        findings: limitItems(findings, detail).rows,
        heldBack,
        known,
        ...(learned === undefined ? {} : { learned: learnedAnswer(learned) }),
        notExercised: left,
      },
    };
  },
});
