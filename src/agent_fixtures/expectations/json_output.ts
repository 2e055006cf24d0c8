/** `json_output`: the agent's last words are JSON of a shape. */
import * as z from "zod";

import { oneLine, textExcerpt } from "../../core/text.ts";
import { jsonIn } from "../../core/values.ts";
import { defineExpectation, type Judgement } from "../expectation.ts";
import { jsonSchemaSchema, schemaMiss, valueMisses, valuesByPathSchema } from "../expected_fields.ts";
import { timelineEntries } from "../observed_session.ts";

const schema = z.strictObject({
  schema: jsonSchemaSchema.optional().describe("JSON Schema that it fits."),
  values: valuesByPathSchema.optional().describe("Values by their JSONPath; maps may hold more keys."),
});

export default defineExpectation({
  type: "json_output",
  summary: "The last words to the user are JSON, alone or as a block of code, that fits a schema",
  schema,
  example: { schema: { type: "object", required: ["cabinet"] } },
  describe: () => "the output is JSON",
  judge(expected: z.infer<typeof schema>, session): Judgement {
    const [end] = timelineEntries(session, "end");
    if (end?.text === undefined) return { pass: false, actual: null, reason: "the agent said nothing" };
    const value = jsonIn(end.text) ?? jsonIn(/```(?:json)?\n([^]*?)\n```/.exec(end.text)?.[1] ?? "");
    if (value === undefined) {
      return {
        pass: false,
        actual: oneLine(end.text, 300),
        reason: `the output is no JSON: ${textExcerpt(end.text, 200)}`,
      };
    }
    const misses = [
      ...valueMisses("the output", expected.values, value),
      schemaMiss("the output", "the schema", expected.schema, value),
    ].filter((miss) => miss !== undefined);
    if (misses.length > 0) return { pass: false, actual: value, reason: misses.join("; ") };
    return { pass: true, actual: value, at: end.at };
  },
});
