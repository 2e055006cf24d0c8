/** `output_json`: the answer, read as JSON, is deeply equal to this. */
import { defineAssertion } from "../assertion.ts";
import { compareJson, jsonSchema } from "../match/json_output.ts";

export default defineAssertion({
  key: "output_json",
  subject: "response",
  schema: jsonSchema,
  summary: "`structuredContent`, else the text read as JSON, deeply equals this value",
  check: (expected, observed) => compareJson(expected, observed, false),
});
