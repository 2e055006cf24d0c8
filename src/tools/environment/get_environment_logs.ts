import { z } from "zod";
import { detail } from "../fields.ts";
import { tail, tailLimits } from "../tail.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Read the environment's logs",
  description:
    "The last lines that the environment itself logged (container, init, services). Use it when an environment is lost or a service fails.",
  annotations: { readOnlyHint: true },
  input: z.strictObject({
    tail: z.int().min(1).max(100_000).exactOptional().describe("How many lines to fetch. Default: 200."),
    detail,
  }),
  async run({ tail: wanted, detail }, context) {
    const logs = await context.harness.session().logs(wanted ?? 200, requestOptions(context));
    // Whoever names a number of lines wants that many.
    const text = tail(logs, tailLimits(detail ?? wanted !== undefined));
    return { text: text || "The logs are empty.", data: { logs: text } };
  },
});
