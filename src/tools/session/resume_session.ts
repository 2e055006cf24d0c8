import { z } from "zod";
import { environmentData } from "../text/environment_text.ts";
import { resumedSchema } from "../output/resumed_schema.ts";
import { planData } from "../text/plugin_text.ts";
import { resumedText } from "../text/resumed_text.ts";
import { sessionData } from "../text/session_text.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { withWatchAddress } from "../with_watch_address.ts";

export default defineTool({
  title: "Resume a test session",
  description:
    "Continue an interrupted session from its branch, in a new worktree; uncommitted work of the old one is kept. Answers where it " +
    "stood, what still fails, what is lost, and the calls that go on.",
  dormant: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    branch: z.string().min(1).describe("pth/<plugin>-<date>-<id>"),
    pluginPath: z.string().min(1).exactOptional()
      .describe("Folder of the plugin. Absent: as this machine's sessions tell."),
    provision: z.boolean().exactOptional()
      .describe("true: also make its environment and load the plugin."),
    force: z.boolean().exactOptional()
      .describe("true: also where a session that is alive holds the branch."),
  }),
  output: resumedSchema,
  async run({ force, ...request }, context) {
    const answer = await context.harness.resumeSession(request, {
      ...requestOptions(context),
      force: force ?? false,
    });
    const { environment, plugin, ...data } = answer;
    return withWatchAddress({
      text: resumedText(answer),
      data: {
        ...data,
        session: sessionData(answer.session),
        ...(environment ? { environment: environmentData(environment) } : {}),
        ...(plugin ? { plugin: { plan: planData(plugin.plan), server: plugin.server } } : {}),
      },
    }, await context.watchAddress?.());
  },
});
