/** Shape of one test as it stands in a file. */
import { z } from "zod";
import { testSources } from "../../../machines/model/test_case.ts";
import { registry as checks } from "../checks/_registry.ts";
import { expectSchema, verifySchema } from "./expect_schema.ts";
import { stepSchema } from "./step_schema.ts";
import type { Path } from "../../core/read_source.ts";

const text = z.string().min(1);
const tier = z.literal([1, 2, 3]);
const input = z.record(z.string(), z.unknown());

const controlSchema = z.strictObject({ input: input.describe("Arguments of the control call.") });
const fileSchema = z.strictObject({
  path: text.describe(
    "Where the file is written: relative to the plugin's folder, and within it; or absolute, in the environment.",
  ),
  content: z.string().describe("What it holds."),
});
/** That a preparation has one of the two is a rule across keys: `test_rules.ts`. */
const preparationSchema = z.strictObject({
  exec: text.optional()
    .describe(
      "A command for `sh -c`, run inside the environment in the plugin's folder; it must exit with 0.",
    ),
  file: fileSchema.optional().describe("A file to write."),
});

export const testSchema = z.strictObject({
  name: text.describe("Unique among the tests by hand. The test's id is its name as a slug."),
  tier: tier.optional().describe(
    "1: one call; 2: steps; 3: what an agent does. Follows from the other keys.",
  ),
  requires_tier: tier.optional().describe(
    "The least environment tier that the test needs (1 container, 2 container with systemd, 3 virtual machine); in a lesser one it is skipped.",
  ),
  description: z.string().optional().describe("For people."),
  tool: text.optional().describe("Tier 1: the tool to call."),
  check: z.enum(checks.map((check) => check.name)).optional()
    .describe("Tier 1: a check of the server as a whole, in place of a call."),
  config: z.record(text, z.string()).optional().describe(
    "Of a check: values of the plugin's options that its server is started with.",
  ),
  input: input.optional().describe("Tier 1: arguments of the call; `{}` unless given."),
  control: controlSchema.optional().describe(
    "Tier 1: a call of the same tool that is made first and must succeed, else the test is skipped: it would prove nothing.",
  ),
  expect: expectSchema.optional().describe("Tier 1: assertions on the answer."),
  steps: z.array(stepSchema).optional().describe(
    "Tier 2: the steps of a scenario, in order; the first that fails ends it.",
  ),
  prompt: text.optional().describe("Tier 3: what an agent is to do with the plugin's tools."),
  tool_sequence: z.array(stepSchema).optional()
    .describe("Tier 3: the calls that an agent would make, as steps; in place of `prompt`."),
  checklist: z.array(text).optional()
    .describe(
      "Tier 3: what must be true afterwards, in words; whoever drives the prompt judges each with evidence.",
    ),
  verify: z.array(verifySchema).optional().describe(
    "Commands after the test, with what is expected of them.",
  ),
  setup: z.array(preparationSchema).optional()
    .describe("Before the test, in order; one that fails makes the test fail."),
  teardown: z.array(preparationSchema).optional().describe("After the test, whatever came of it."),
  tags: z.array(text).optional().describe("Words to choose tests by (`--tag`)."),
  generated_from: z.enum(testSources).optional()
    .describe("Where the test came from; `manual` unless given."),
  origin: text.optional().describe(
    "Why a generated test was proposed, and from what: `src/server.ts:40: …`.",
  ),
  timeout_seconds: z.number().positive().optional()
    .describe("Limit of the whole test; unless given `--timeout`, else 10, 30 or 120 by tier."),
});

export type TestText = z.infer<typeof testSchema>;

/** Keys that exist in the map at a path, for "did you mean"; none where any key may be. */
export function knownKeys(path: Path): string[] {
  let schema: unknown = testSchema;
  for (const segment of path) {
    schema = unwrapped(schema);
    if (schema instanceof z.ZodArray) schema = schema.element;
    else if (schema instanceof z.ZodObject) schema = schema.shape[segment];
    else return [];
  }
  const last = unwrapped(schema);
  return last instanceof z.ZodObject ? Object.keys(last.shape) : [];
}

const unwrapped = (schema: unknown): unknown =>
  schema instanceof z.ZodOptional ? unwrapped(schema.unwrap()) : schema;
