import * as z from "zod";
import { definedOnly } from "../../core/values.ts";
import { detailField } from "../fields.ts";
import { agentSessionText } from "../text/agent_session_text.ts";
import { joinLines } from "../text/join_lines.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { agentFields, programChoice, sessionFields, sessionOutput } from "./agent_fields.ts";

const { agent: _, ...programFields } = agentFields;

export default defineTool({
  title: "Replay an agent",
  description:
    "Run the recorded agent on the playbook of pth_record_agent, without key and network. Where its requests are not as they were " +
    "recorded (a prompt that changed, a tool that is gone), the differences are answered and the session failed.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    playbook: z.string().min(1).describe("Path in the plugin; or an absolute one on this machine."),
    acceptDrift: z.boolean().exactOptional().describe("true: differences are no failure."),
    update: z.boolean().exactOptional()
      .describe(
        "true: the same, and the requests as they are now replace the recorded ones in the playbook.",
      ),
    ...programFields,
    ...sessionFields,
    detail: detailField,
  }),
  output: z.object({
    ...sessionOutput,
    drift: z.array(z.object({ subject: z.string(), lines: z.array(z.string()) })),
    file: z.string().exactOptional(),
  }),
  async run({ command, stdin, folder, timeoutSeconds = 300, detail, ...request }, context) {
    const { result, playbook } = await context.harness.session().agents.replay({
      ...request,
      ...programChoice(definedOnly({ command, stdin, folder })),
      timeoutMs: timeoutSeconds * 1000,
    }, requestOptions(context));
    const { failures, played, trace, drift } = result;
    return {
      text: joinLines(
        agentSessionText(result, detail),
        playbook?.file !== undefined && `The requests as they are now were written into ${playbook.file}.`,
      ),
      data: { failures, played, trace, drift, ...definedOnly({ file: playbook?.file }) },
    };
  },
});
