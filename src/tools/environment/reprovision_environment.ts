import * as z from "zod";
import { definedOnly } from "../../core/values.ts";
import { environmentConfig } from "../../api/environment_config.ts";
import { environmentData, environmentText } from "../text/environment_text.ts";
import { retriesField } from "../fields.ts";
import { environmentSchema } from "../output/environment_schema.ts";
import { joinLines } from "../text/join_lines.ts";
import { defineTool, requestOptions } from "../tool.ts";

const { fixtures, targetPlugin, dependencyPlugins } = environmentConfig.shape;

export default defineTool({
  title: "Replace the environment",
  description:
    "Destroy the environment and make a new one; branch, worktree and tests stay, snapshots go. Use it when the environment is lost or has " +
    "drifted, or to change tier or image. Arguments as of pth_provision_environment; what is not given stays as it was. A loaded plugin " +
    "is loaded again.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  // Checked alike, but not described twice: these three are long.
  input: environmentConfig.extend({
    fixtures: z.looseObject({}).pipe(fixtures.unwrap()).exactOptional(),
    targetPlugin: z.looseObject({}).pipe(targetPlugin.unwrap()).exactOptional(),
    dependencyPlugins: z.array(z.looseObject({})).pipe(dependencyPlugins.unwrap()).exactOptional(),
    retries: retriesField,
  }),
  output: environmentSchema.extend({ reloaded: z.boolean().describe("The plugin was loaded again.") }),
  async run({ retries, ...config }, context) {
    const session = context.harness.session();
    const info = await session.environment.reprovision(config, {
      ...requestOptions(context),
      ...definedOnly({ retries }),
    });
    const reloaded = session.plugin.status().tools > 0;
    return {
      text: joinLines(
        environmentText(info),
        reloaded ? "The plugin was loaded again." : "Next: pth_load_plugin({}).",
      ),
      data: { ...environmentData(info), reloaded },
    };
  },
});
