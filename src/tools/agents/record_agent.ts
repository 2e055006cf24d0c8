import * as z from "zod";
import { count } from "../../core/text.ts";
import { definedOnly } from "../../core/values.ts";
import { detailField } from "../fields.ts";
import { agentSessionText } from "../text/agent_session_text.ts";
import { joinLines } from "../text/join_lines.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { agentFields, programChoice, sessionFields, sessionOutput } from "./agent_fields.ts";

const money = z.number().nonnegative();

export default defineTool({
  title: "Record an agent",
  description:
    "Run an agent with the plugin once on a real model, which costs money, and make a playbook of the session, for pth_replay_agent. " +
    "The key is given by its variable's name, never itself.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    prompt: z.string().min(1).describe("May be a command, such as /my-plugin:greet Bob."),
    upstream: z.string().min(1).describe("Address of the model's API, such as https://api.example.com."),
    upstreamKey: z.string().min(1).exactOptional()
      .describe("Variable of PTH's environment that holds the key."),
    model: z.string().min(1).exactOptional().describe("Model that it asks for. Default: the agent's own."),
    budgetTokens: z.int().positive().exactOptional().describe("Stop after so many tokens."),
    budgetCost: z.number().positive().exactOptional().describe("Stop after so much money; needs prices."),
    prices: z.strictObject({ input: money, output: money }).exactOptional().describe("Of a million tokens."),
    out: z.string().min(1).exactOptional()
      .describe(
        "New file in the plugin, such as .pth/recorded.yaml. Default: the playbook is answered as YAML.",
      ),
    ...agentFields,
    ...sessionFields,
    detail: detailField,
  }),
  output: z.object({
    ...sessionOutput,
    spent: z.object({ tokens: z.number(), cost: z.number() }).exactOptional(),
    file: z.string().exactOptional(),
    yaml: z.string().exactOptional(),
  }),
  async run({ command, stdin, folder, timeoutSeconds = 300, detail, ...request }, context) {
    const { result, playbook } = await context.harness.session().agents.record({
      ...request,
      ...programChoice(definedOnly({ command, stdin, folder })),
      timeoutMs: timeoutSeconds * 1000,
    }, requestOptions(context));
    const { failures, played, trace, spent } = result;
    const yaml = playbook?.file === undefined ? playbook?.yaml : undefined;
    return {
      text: joinLines(
        agentSessionText(result, detail),
        playbook === undefined
          ? "Nothing was recorded: the model gave no answer."
          : playbook.file === undefined
          ? `Recorded ${count(playbook.turns, "turn")}:`
          : `Recorded ${
            count(playbook.turns, "turn")
          } in ${playbook.file}. Next: pth_replay_agent({ playbook: ${JSON.stringify(playbook.file)} })`,
        yaml?.trimEnd(),
        playbook?.problem,
      ),
      data: { failures, played, trace, ...definedOnly({ spent, file: playbook?.file, yaml }) },
    };
  },
});
