import { z } from "zod";
import { capped } from "../capped.ts";
import { tokenCostText } from "../contract_text.ts";
import { detail } from "../fields.ts";
import { findingsText } from "../results_text.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { lines } from "../words.ts";

export default defineTool({
  title: "Lint the plugin's tool definitions",
  description:
    "Look at the plugin's tool definitions as hosts and models do: missing or over-long descriptions, ambiguous tools, names and schemas " +
    "that hosts refuse, contradicting annotations, defaults that break their own schema. Also what the definitions, and the answers seen " +
    "in tests, cost a model's context in tokens. Findings fail no test.",
  annotations: { readOnlyHint: true },
  input: z.strictObject({ detail }),
  async run({ detail }, context) {
    const session = context.harness.session();
    const options = requestOptions(context);
    const findings = await session.lint(options);
    const tokenCost = await session.tokenCost(options);
    const { rows, leftOut } = capped(findings, detail);
    return {
      text: lines(
        findingsText(findings) ?? "Nothing to say against the definitions.",
        tokenCostText(tokenCost),
      ),
      data: { findings: rows, ...(leftOut === undefined ? {} : { leftOut }), tokenCost },
    };
  },
});
