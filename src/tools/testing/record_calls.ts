import * as z from "zod";
import { joinLines } from "../text/join_lines.ts";
import { count } from "../../core/text.ts";
import { testCaseSchema } from "../output/test_case_schema.ts";
import { testResultSchema } from "../output/test_result_schema.ts";
import { resultText } from "../text/results_text.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Record calls as a scenario",
  description:
    "Between start and stop, every pth_call_plugin_tool becomes a step. On stop they are kept as one scenario under .pth/tests: values that " +
    "one call answered and a later one was given become captures. It is run once; one that fails is answered as YAML and not kept.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    action: z.enum(["start", "stop"]),
    name: z.string().trim().min(1).exactOptional().describe("Of the test; with start."),
  }),
  output: z.object({
    recording: z.string().exactOptional().describe("After start: the test's name."),
    ...z.object({
      test: testCaseSchema,
      calls: z.number().int(),
      leftOut: z.number().int(),
      kept: z.boolean(),
      result: testResultSchema,
      yaml: z.string(),
    }).partial().shape,
  }),
  async run({ action, name = "Recorded calls" }, context) {
    const { recordCalls } = context.harness.session().tests;
    if (action === "start") {
      recordCalls.start(name);
      return {
        text:
          `Recording "${name}". Next: pth_call_plugin_tool({ tool, input }), then pth_record_calls({ action: "stop" }).`,
        data: { recording: name },
      };
    }
    const { test, calls, leftOut, result, kept, yaml } = await recordCalls.stop(requestOptions(context));
    const tooMany = leftOut > 0 && `${count(leftOut, "call")} too many: left out.`;
    const data = { test, calls, leftOut, kept, result, ...(yaml === undefined ? {} : { yaml }) };
    if (kept) {
      return {
        text: joinLines(
          `${count(calls, "call")} kept as ${test.id}${test.file === undefined ? "" : ` in ${test.file}`}.`,
          tooMany,
          result.status === "skipped" ? "It could not be run:" : "Run once:",
          resultText(result),
          `Next: pth_run_test({ id: "${test.id}" }).`,
        ),
        data,
      };
    }
    return {
      text: joinLines(
        `Not saved: ${count(calls, "call")} recorded, and the test fails when run again.`,
        tooMany,
        resultText(result, true),
        "Next: leave out what cannot be repeated, or expect less of it, then pth_create_test({ yaml }) with this text; or record again, " +
          "from a state to which the test can come back.",
        "",
        yaml!.trimEnd(),
      ),
      data,
    };
  },
});
