/** Shape of one test as it stands in a file (PTH design §6, "Common Fields"; Tier 1). */
import { z } from "zod";
import { entriesFor } from "./assertion_table.ts";
import { registry as checks } from "./checks/_registry.ts";
import type { Path } from "./yaml_source.ts";

const shapeOf = (subject: "response" | "command"): Record<string, z.ZodOptional<z.ZodType>> =>
  Object.fromEntries(entriesFor(subject).map(({ key, assertion }) => [key, z.optional(assertion.schema)]));

const text = z.string().min(1);
const tier = z.literal([1, 2, 3]);
const input = z.record(z.string(), z.unknown());
const expectSchema = z.strictObject(shapeOf("response"));
const controlSchema = z.strictObject({ input });
const verifySchema = z.strictObject({ exec: text, ...shapeOf("command") });
const fileSchema = z.strictObject({ path: text, content: z.string() });
/** That a step has one of the two is a rule across keys: `test_rules.ts`. */
const stepSchema = z.strictObject({ exec: text.optional(), file: fileSchema.optional() });

export const testSchema = z.strictObject({
  name: text,
  tier: tier.optional(),
  requires_tier: tier.optional(),
  description: z.string().optional(),
  tool: text.optional(),
  check: z.enum(checks.map((check) => check.name)).optional(),
  input: input.optional(),
  control: controlSchema.optional(),
  expect: expectSchema.optional(),
  verify: z.array(verifySchema).optional(),
  setup: z.array(stepSchema).optional(),
  teardown: z.array(stepSchema).optional(),
  tags: z.array(text).optional(),
  generated_from: z.enum(["schema", "source_analysis", "documentation", "config", "manual"]).optional(),
  timeout_seconds: z.number().positive().optional(),
});

export type TestText = z.infer<typeof testSchema>;

/** Keys that exist in the map at a path, for "did you mean". */
export function knownKeys(path: Path): string[] {
  const place = path.filter((segment) => typeof segment === "string").join(".");
  const schemas: Record<string, { shape: object }> = {
    "": testSchema,
    expect: expectSchema,
    control: controlSchema,
    verify: verifySchema,
    setup: stepSchema,
    teardown: stepSchema,
    "setup.file": fileSchema,
    "teardown.file": fileSchema,
  };
  return Object.keys(schemas[place]?.shape ?? {});
}
