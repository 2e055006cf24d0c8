import { z } from "zod";
import { changesSummary } from "../../contract/changes_text.ts";
import { capped } from "../capped.ts";
import { changeRows } from "../contract_text.ts";
import { detail } from "../fields.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { count, lines } from "../words.ts";

export default defineTool({
  title: "Check the plugin's contract",
  description:
    "Compare what the plugin's server offers (tools, schemas, annotations, resources, prompts, instructions) with the contract kept in " +
    "the plugin: each change is breaking, a notice or compatible, with the reason. save: true then keeps the surface as it is, committed " +
    "on the session branch. Where .pth/contract.json exists, pth_load_plugin and pth_reload_plugin tell breaking changes by themselves.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  input: z.strictObject({
    baseline: z.string().min(1).exactOptional()
      .describe("Path of the contract within the plugin's folder. Default: .pth/contract.json."),
    save: z.boolean().exactOptional().describe("true: keep the surface as it is now as the contract."),
    detail,
  }),
  async run({ detail, ...request }, context) {
    const check = await context.harness.session().checkContract(request, requestOptions(context));
    const { baseline, changes, breaking, tools, saved } = check;
    const { rows, leftOut } = capped(changes, detail);
    return {
      text: lines(
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
      data: {
        ...check,
        changes: rows,
        ...(leftOut === undefined ? {} : { leftOut }),
      },
    };
  },
});
