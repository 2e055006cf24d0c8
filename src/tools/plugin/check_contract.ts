import { z } from "zod";
import { changesSummary } from "../../contract/changes_summary.ts";
import { changeRows, contractData } from "../text/contract_text.ts";
import { detailField } from "../fields.ts";
import { contractCheck } from "../output/contract.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { count, joinLines } from "../text/format.ts";

export default defineTool({
  title: "Check the plugin's contract",
  description:
    "Compare what the server offers (tools, schemas, resources, prompts, instructions) with the contract kept in the plugin: each change is " +
    "breaking, a notice or compatible, with the reason. With save: true the surface is then kept and committed on the session branch.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    baseline: z.string().min(1).exactOptional()
      .describe("Its path in the plugin. Default: .pth/contract.json."),
    save: z.boolean().exactOptional().describe("true: keep the surface as it is now."),
    detail: detailField,
  }),
  output: contractCheck,
  async run({ detail, ...request }, context) {
    const check = await context.harness.session().contract.check(request, requestOptions(context));
    const { baseline, changes, breaking, tools, saved } = check;
    return {
      text: joinLines(
        baseline === undefined
          ? `No contract is kept to compare with: ${count(tools, "tool")}.`
          : `Beside ${baseline}: ${changesSummary(changes)}`,
        ...changeRows(changes, detail),
        saved && `Kept in ${saved.path}${saved.commit ? `, committed as ${saved.commit.slice(0, 12)}` : ""}.`,
        baseline === undefined && !saved &&
          "Next: pth_check_contract({ save: true }) keeps the surface as it is.",
        breaking > 0 && !saved &&
          "Next: change it back, or keep it on purpose: pth_check_contract({ save: true }).",
      ),
      data: contractData(check, detail),
    };
  },
});
