import * as z from "zod";
import { detailField } from "../fields.ts";
import { boundedTail, tailLimits } from "../bounded_tail.ts";
import { definedOnly } from "../../core/values.ts";
import { defineTool, readsOnly, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Read the environment's logs",
  description:
    "Last lines that the environment itself logged (container, init), or a companion service of its fixtures. Use it when an environment " +
    "is lost or a service fails.",
  annotations: readsOnly,
  input: z.strictObject({
    tail: z.int().min(1).max(100_000).exactOptional().describe(
      "That many lines in full. Default: the end of the last 200.",
    ),
    service: z.string().min(1).exactOptional().describe("Name of a service in the fixtures."),
    detail: detailField,
  }),
  output: z.object({ logs: z.string() }),
  async run({ tail: wanted, service, detail }, context) {
    const options = { ...requestOptions(context), ...definedOnly({ service }) };
    const logs = await context.harness.session().environment.logs(wanted ?? 200, options);
    // Whoever names a number of lines wants that many.
    const text = boundedTail(logs, tailLimits(detail ?? wanted !== undefined));
    return { text: text || "The logs are empty.", data: { logs: text } };
  },
});
