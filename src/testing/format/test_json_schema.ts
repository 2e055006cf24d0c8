/** `docs/test.schema.json`: what editors complete and check in test files, from the schema that reads them. */
import { z } from "zod";
import { testSchema } from "./test_schema.ts";

/** One of these makes a test what it is; `test_rules.ts` says the same in words. */
const subjects = ["tool", "check", "steps", "prompt", "tool_sequence"];
const stepKinds = ["tool", "read_resource", "subscribe", "get_prompt", "wait_for"];

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  [key: string]: unknown;
}

/** JSON Schema 2020-12 of a file that holds one test or a list of tests. */
export function testJsonSchema(): string {
  const { $schema, ...test } = z.toJSONSchema(testSchema, { io: "input", unrepresentable: "any" }) as Schema;
  const steps = [test.properties?.steps?.items, test.properties?.tool_sequence?.items];
  for (const step of steps) Object.assign(step!, { oneOf: oneOf(stepKinds) });
  const schema = {
    $schema,
    title: "Tests of the Plugin Test Harness",
    oneOf: [{ $ref: "#/$defs/test" }, { type: "array", minItems: 1, items: { $ref: "#/$defs/test" } }],
    $defs: { test: { ...test, oneOf: oneOf(subjects) } },
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

const oneOf = (keys: readonly string[]) => keys.map((key) => ({ required: [key] }));
