import type { EnvironmentConfig } from "../../../machines/model/environment.ts";
import { definedOnly } from "../../core/values.ts";
import { environmentConfig } from "../../api/env_config.ts";
import { environmentData, environmentText } from "../text/environment_text.ts";
import { retries } from "../fields.ts";
import { environment } from "../output/environment.ts";
import { lines } from "../text/words.ts";
import { defineTool, requestOptions } from "../tool.ts";

const nextText = ({ dependencyPlugins = [] }: EnvironmentConfig): string =>
  dependencyPlugins.length === 0
    ? "Next: pth_load_plugin({})."
    : `Next: pth_load_plugin({}), which starts the dependencies first: ${
      dependencyPlugins.map(({ name, source }) => name ?? source).join(", ")
    }.`;

export default defineTool({
  title: "Provision an environment",
  description:
    "Make the isolated environment that the plugin is tested in, once per session. Without arguments: the tier that the source asks for " +
    "and its strongest runtime that is ready. Answers why, the system and the tools inside. Next: pth_load_plugin({}).",
  core: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: environmentConfig.extend({ retries }),
  output: environment,
  async run({ retries, ...config }, context) {
    const info = await context.harness.session().provision(config, {
      ...requestOptions(context),
      ...definedOnly({ retries }),
    });
    return {
      text: lines(environmentText(info), nextText(info.config)),
      data: environmentData(info),
    };
  },
});
