import * as z from "zod";
import { evalRunners, mostEvalRuns } from "../../../machines/model/eval_request.ts";
import type { EvalCaseResult } from "../../../machines/model/eval_result.ts";
import { definedOnly } from "../../core/values.ts";
import { detailField, hostPathField } from "../fields.ts";
import { limitItems } from "../limit_items.ts";
import { omittedRows } from "../output/test_result_schema.ts";
import { evalsText } from "../text/evals_text.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { agentChoice, agentFields } from "./agent_fields.ts";

/** Most sessions side by side that a client may ask for. */
const mostWorkers = 32;

export default defineTool({
  title: "Run evals",
  description:
    "Run the evals that the plugin has in evals/ (Claude Code's format) as sessions of an agent, its model's turns from a playbook. " +
    "Answers which cases passed, and which graders failed the others; a case that fails is no error.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    playbook: hostPathField.describe(
      "File of turns (YAML, JSON) for all cases, or a folder with <case>.yaml for each.",
    ),
    ...agentFields,
    by: z.enum(evalRunners).default("pth").describe("agent: `claude plugin eval` itself runs and judges."),
    case: z.string().min(1).exactOptional().describe("Glob on names."),
    tag: z.string().min(1).exactOptional(),
    grep: z.string().min(1).exactOptional().describe("Regular expression on names."),
    runs: z.number().int().min(1).max(mostEvalRuns).exactOptional().describe(
      "Of each case. Default: the case's own.",
    ),
    workers: z.number().int().min(1).max(mostWorkers).default(1).describe("Sessions side by side."),
    project: hostPathField.exactOptional().describe(
      "Folder of which each works in a copy. Default: an empty one.",
    ),
    detail: detailField,
  }),
  output: z.object({
    passed: z.number(),
    total: z.number(),
    cases: z.array(z.object({
      name: z.string(),
      status: z.enum(["passed", "failed", "refused"]),
      score: z.number(),
      passes: z.number(),
      runs: z.number(),
      problems: z.array(z.string()),
      failed: z.array(z.string()).describe("Graders that did not pass."),
    })),
    leftOut: omittedRows,
  }),
  async run({ by, case: glob, tag, grep, runs, workers, project, detail, ...input }, context) {
    const { agents } = context.harness.session();
    const agent = await agents.choose(agentChoice(input));
    const report = await agents.evaluate({
      agent,
      by,
      filter: definedOnly({ case: glob, tag, grep }),
      workers,
      ...definedOnly({ runs, project }),
    }, requestOptions(context));
    const { rows, leftOut } = limitItems(report.cases.map(brief), detail);
    return {
      text: evalsText(report, detail),
      data: {
        passed: report.cases.filter(({ status }) => status === "passed").length,
        total: report.cases.length,
        cases: rows,
        ...(leftOut === undefined ? {} : { leftOut }),
      },
    };
  },
});

const brief = ({ name, status, score, passes, runs, problems, graders }: EvalCaseResult) => ({
  name,
  status,
  score,
  passes,
  runs: runs.length,
  problems,
  failed: graders.filter(({ passed }) => !passed).map(({ name }) => name),
});
