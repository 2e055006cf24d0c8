import { z } from "zod";
import { environmentData, environmentText } from "../environment_text.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Inspect the environment",
  description:
    "State of the environment right now: runtime, image, system, cpus, memory, disk, enforced limits, tools inside, network, where the " +
    "source lies. Use it to choose a number of workers or to understand a failure.",
  annotations: { readOnlyHint: true },
  input: z.strictObject({}),
  async run(_input, context) {
    const info = await context.harness.session().inspect(requestOptions(context));
    return { text: environmentText(info), data: environmentData(info) };
  },
});
