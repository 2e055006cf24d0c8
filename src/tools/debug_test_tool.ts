/** `debug_test`: a project's own tests in place, for servers that serve nothing else. Its name has no prefix: it needs no session. */
import * as z from "zod";
import { definedOnly } from "../core/values.ts";
import { hostPathField } from "./fields.ts";
import { defineTool, type RegisteredTool, requestOptions } from "./tool.ts";

/** Definition of `debug_test`; in sessions `pth_debug_test` shares its fields. */
export const debugTestDefinition = defineTool({
  title: "Run tests",
  description:
    "Run tests and get structured results. Auto-detects the test framework. If no tests exist, returns project info and suggests " +
    "test setup. Use this instead of running test commands via bash — it provides machine-readable output, stuck " +
    "detection, and failures by file and line.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  dormant: true,
  input: z.strictObject({
    projectRoot: hostPathField.describe("Absolute path of the project."),
    framework: z.string().min(1).exactOptional().describe("cargo, pytest, node:test … Default: detected."),
    level: z.enum(["unit", "integration", "e2e"]).exactOptional().describe("Default: all."),
    test: z.string().min(1).exactOptional().describe("Run a single test by name."),
    command: z.string().min(1).exactOptional().describe("Test binary, or command that runs the tests."),
    env: z.record(z.string(), z.string()).exactOptional().describe("Additional environment variables."),
    timeout: z.number().int().positive().exactOptional().describe("Hard timeout in ms."),
    tracePatterns: z.array(z.string().min(1)).max(50).exactOptional().describe(
      "Functions whose calls are traced for debug_query: parser::*. Best with test.",
    ),
    watches: z.array(z.strictObject({
      variable: z.string().min(1),
      on: z.array(z.string().min(1)).exactOptional(),
    })).max(20).exactOptional().describe("Variables kept at these calls."),
  }),
  output: z.object({
    framework: z.string(),
    summary: z.object({
      passed: z.number(),
      failed: z.number(),
      skipped: z.number(),
      stuck: z.number().exactOptional(),
      duration_ms: z.number(),
    }).nullable(),
    failures: z.array(z.unknown()).exactOptional(),
    stuck: z.array(z.unknown()).exactOptional(),
    no_tests: z.literal(true).exactOptional(),
    project: z.object({ language: z.string(), build_system: z.string(), test_files: z.number() })
      .exactOptional(),
    hint: z.string().exactOptional(),
    sessionId: z.string().exactOptional(),
    details: z.string().exactOptional(),
  }),
  async run({ timeout, ...run }, context) {
    const asked = { ...run, ...definedOnly({ timeoutMs: timeout }) };
    const data = await context.harness.runProjectTests(asked, requestOptions(context));
    return { text: JSON.stringify(data), data };
  },
});

export const debugTest: RegisteredTool = {
  name: "debug_test",
  category: "testing",
  definition: debugTestDefinition,
};
