import { definedOnly } from "../../values.ts";
import { environmentConfig } from "../../env_config.ts";
import { environmentData, environmentText } from "../environment_text.ts";
import { retries } from "../fields.ts";
import { lines } from "../words.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Replace the environment",
  description:
    "Destroy the environment and make a new one, at another tier or image if asked; branch, worktree and tests stay. Use it when the " +
    "environment is lost, has drifted, or another tier is needed. Snapshots are gone. A plugin that was loaded is loaded again.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  input: environmentConfig.extend({ retries }),
  async run({ retries, ...config }, context) {
    const session = context.harness.session();
    const info = await session.reprovision(config, {
      ...requestOptions(context),
      ...definedOnly({ retries }),
    });
    const reloaded = session.pluginStatus().tools > 0;
    return {
      text: lines(
        environmentText(info),
        reloaded ? "The plugin was loaded again." : "Next: pth_load_plugin({}).",
      ),
      data: { ...environmentData(info), reloaded },
    };
  },
});
