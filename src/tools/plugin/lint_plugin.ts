import * as z from "zod";
import { limitItems } from "../limit_items.ts";
import { lintText, tokenCostText } from "../text/contract_text.ts";
import { detailField } from "../fields.ts";
import { tokenCost } from "../output/contract.ts";
import { defineTool, readsOnly, requestOptions } from "../tool.ts";
import { joinLines } from "../text/join_lines.ts";

const findingsSchema = z.array(z.object({
  severity: z.enum(["error", "warning", "info"]),
  code: z.string(),
  tool: z.string().optional(),
  message: z.string(),
}));

export default defineTool({
  title: "Lint the plugin's tool definitions",
  description:
    "Findings on the plugin's tool definitions: missing or long descriptions, ambiguous tools, names and schemas that hosts refuse, " +
    "contradicting annotations. Also the tokens that definitions and answers cost a model. No test fails by it.",
  annotations: readsOnly,
  input: z.strictObject({ detail: detailField }),
  output: z.object({
    findings: findingsSchema,
    leftOut: z.number().optional().describe("Findings left out."),
    tokenCost,
  }),
  async run({ detail }, context) {
    const session = context.harness.session();
    const options = requestOptions(context);
    const found = await session.contract.lint(options);
    const cost = await session.contract.tokenCost(options);
    const { rows, leftOut } = limitItems(found, detail);
    return {
      text: joinLines(
        lintText(found, detail),
        tokenCostText(cost),
      ),
      data: { findings: rows, ...(leftOut === undefined ? {} : { leftOut }), tokenCost: cost },
    };
  },
});
