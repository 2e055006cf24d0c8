import * as z from "zod";
import { PthError } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";
import { detailField, hostPathField } from "../fields.ts";
import { agentSessionText } from "../text/agent_session_text.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { agentChoice, agentFields, sessionFields, sessionOutput } from "./agent_fields.ts";

export default defineTool({
  title: "Run an agent",
  description:
    "Run an agent with the plugin on one prompt, its model's turns from a playbook. Answers what it called, what came back, and " +
    "whether it went as the playbook says; a session that did not is no error.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    prompt: z.string().min(1).describe("May be a command, such as /my-plugin:greet Bob."),
    playbook: hostPathField.describe("File of turns (YAML, JSON)."),
    ...agentFields,
    ...sessionFields,
    detail: detailField,
  }),
  output: z.object(sessionOutput),
  async run({ prompt, project, timeoutSeconds = 300, detail, ...input }, context) {
    const { agents } = context.harness.session();
    const { playbooks, ...agent } = await agents.choose(agentChoice(input));
    if (!("each" in playbooks)) {
      throw new PthError(
        "INVALID_INPUT",
        `Cannot run the agent: ${playbooks.place} is a folder of playbooks`,
        {
          next: ["Name one of its files"],
        },
      );
    }
    const result = await agents.run({
      ...agent,
      prompt,
      playbook: playbooks.each,
      timeoutMs: timeoutSeconds * 1000,
      ...definedOnly({ project }),
    }, requestOptions(context));
    const { failures, played, trace } = result;
    return { text: agentSessionText(result, detail), data: { failures, played, trace } };
  },
});
