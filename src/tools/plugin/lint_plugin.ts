import { z } from "zod";
import { capped } from "../capped.ts";
import { lintText, tokenCostText } from "../text/contract_text.ts";
import { detail } from "../fields.ts";
import { tokenCost } from "../output/contract.ts";
import { findings } from "../output/findings.ts";
import { defineTool, readsOnly, requestOptions } from "../tool.ts";
import { lines } from "../text/words.ts";

export default defineTool({
  title: "Lint the plugin's tool definitions",
  description:
    "Findings on the plugin's tool definitions: missing or long descriptions, ambiguous tools, names and schemas that hosts refuse, " +
    "contradicting annotations. Also the tokens that definitions and answers cost a model. No test fails by it.",
  annotations: readsOnly,
  input: z.strictObject({ detail }),
  output: z.object({
    findings,
    leftOut: z.number().optional().describe("Findings left out."),
    tokenCost,
  }),
  async run({ detail }, context) {
    const session = context.harness.session();
    const options = requestOptions(context);
    const found = await session.lint(options);
    const cost = await session.tokenCost(options);
    const { rows, leftOut } = capped(found, detail);
    return {
      text: lines(
        lintText(found, detail),
        tokenCostText(cost),
      ),
      data: { findings: rows, ...(leftOut === undefined ? {} : { leftOut }), tokenCost: cost },
    };
  },
});
