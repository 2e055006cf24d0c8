import { environmentConfig } from "../../env_config.ts";
import { environmentData, environmentText } from "../environment_text.ts";
import { lines } from "../words.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Provision an environment",
  description:
    "Make the isolated environment that the plugin is tested in; once per session, before pth_load_plugin. With no arguments PTH takes the " +
    "strongest runtime that is ready and says why. Answers system, cpus, memory, limits and tools found inside. Next: pth_load_plugin({}).",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  input: environmentConfig,
  async run(config, context) {
    const info = await context.harness.session().provision(config, requestOptions(context));
    return {
      text: lines(environmentText(info), "Next: pth_load_plugin({})."),
      data: environmentData(info),
    };
  },
});
