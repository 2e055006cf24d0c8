import * as z from "zod";
import { definedOnly } from "../../core/values.ts";
import { debugTestDefinition } from "../debug_test_tool.ts";
import { defineTool, requestOptions } from "../tool.ts";

/** Traced calls are asked for where the tests run in place. */
const { projectRoot: _root, tracePatterns: _patterns, watches: _watches, ...fields } =
  debugTestDefinition.input.shape;

export default defineTool({
  title: "Run the plugin's own tests",
  description:
    "Run the tests that the plugin's project brings in the environment, as their framework runs them. Answers JSON: failures by " +
    "file and line, stuck tests with their stacks.",
  annotations: debugTestDefinition.annotations,
  input: z.strictObject({
    folder: z.string().min(1).exactOptional().describe("Below the plugin's."),
    ...fields,
  }),
  output: debugTestDefinition.output,
  async run({ timeout, ...asked }, context) {
    const request = { ...asked, ...definedOnly({ timeoutMs: timeout }) };
    const data = await context.harness.session().projectTests.run(request, requestOptions(context));
    return { text: JSON.stringify(data), data };
  },
});
