/** `output_json_contains`: the answer, read as JSON, holds these keys and values. */
import { defineAssertion } from "../assertion.ts";
import { compareJson, jsonSchema } from "../match/json_output.ts";

export default defineAssertion({
  key: "output_json_contains",
  subject: "response",
  schema: jsonSchema,
  summary:
    "As `output_json`, but objects may hold more keys, and lists more elements around these in this order",
  check: (expected, observed) => compareJson(expected, observed, true),
});
