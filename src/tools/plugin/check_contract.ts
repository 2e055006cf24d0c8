import * as z from "zod";
import { changesSummary } from "../../contract/changes_summary.ts";
import { changeRows, contractData } from "../text/contract_text.ts";
import { detailField } from "../fields.ts";
import { contractCheck } from "../output/contract.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { joinLines } from "../text/join_lines.ts";
import { count } from "../../core/text.ts";

export default defineTool({
  title: "Check the plugin's contract",
  description:
    "Compare the server's surface (tools, schemas, resources, prompts, instructions) with the contract stored in the plugin: each change is " +
    "breaking, a notice or compatible, with the reason. With save: true the surface is stored and committed on the session branch.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    baseline: z.string().min(1).exactOptional()
      .describe("Its path in the plugin. Default: .pth/contract.json."),
    save: z.boolean().exactOptional().describe("true: store the current surface."),
    detail: detailField,
  }),
  output: contractCheck,
  async run({ detail, ...request }, context) {
    const check = await context.harness.session().contract.check(request, requestOptions(context));
    const { baseline, changes, breaking, tools, saved } = check;
    return {
      text: joinLines(
        baseline === undefined
          ? `No contract is stored to compare with: ${count(tools, "tool")}.`
          : `Beside ${baseline}: ${changesSummary(changes)}`,
        ...changeRows(changes, detail),
        saved &&
          `Stored in ${saved.path}${saved.commit ? `, committed as ${saved.commit.slice(0, 12)}` : ""}.`,
        baseline === undefined && !saved &&
          "Next: pth_check_contract({ save: true }) stores the current surface.",
        breaking > 0 && !saved &&
          "Next: undo the change, or accept it: pth_check_contract({ save: true }).",
      ),
      data: contractData(check, detail),
    };
  },
});
