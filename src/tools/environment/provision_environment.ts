import type { EnvironmentConfig } from "../../../machines/model/environment.ts";
import { definedOnly } from "../../core/values.ts";
import { environmentConfig } from "../../api/environment_config.ts";
import { environmentData, environmentText } from "../text/environment_text.ts";
import { retriesField } from "../fields.ts";
import { environmentSchema } from "../output/environment_schema.ts";
import { joinLines } from "../text/join_lines.ts";
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
  input: environmentConfig.extend({ retries: retriesField }),
  output: environmentSchema,
  async run({ retries, ...config }, context) {
    const info = await context.harness.session().environment.provision(config, {
      ...requestOptions(context),
      ...definedOnly({ retries }),
    });
    return {
      text: joinLines(environmentText(info), nextText(info.config)),
      data: environmentData(info),
    };
  },
});
