import { z } from "zod";
import { environmentData } from "../environment_text.ts";
import { planData } from "../plugin_text.ts";
import { resumedText } from "../resume_text.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { withWatchAddress } from "../watch_address.ts";

export default defineTool({
  title: "Resume a test session",
  description:
    "Continue a session that was interrupted, from its branch: makes a new worktree for it and takes a dead session's lock and worktree " +
    "out of the way (uncommitted work is kept). Answers iteration, last results, trend, fixes, what still fails, and what is lost. " +
    "Next: as it says, or provision: true at once.",
  dormant: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    branch: z.string().min(1).describe("Session branch, pth/<plugin>-<date>-<id>."),
    pluginPath: z.string().min(1).exactOptional()
      .describe(
        "Folder of the plugin (absolute path). Absent: found by the sessions that this machine knows.",
      ),
    provision: z.boolean().exactOptional()
      .describe("true: also make the environment that the session had, and load the plugin."),
    force: z.boolean().exactOptional()
      .describe("true: also when the session that holds the branch is still alive."),
  }),
  async run({ force, ...request }, context) {
    const resumed = await context.harness.resumeSession(request, {
      ...requestOptions(context),
      force: force ?? false,
    });
    const { environment, plugin, ...data } = resumed;
    return withWatchAddress({
      text: resumedText(resumed),
      data: {
        ...data,
        ...(environment ? { environment: environmentData(environment) } : {}),
        ...(plugin ? { plugin: { plan: planData(plugin.plan), server: plugin.server } } : {}),
      },
    }, await context.watchAddress?.());
  },
});
