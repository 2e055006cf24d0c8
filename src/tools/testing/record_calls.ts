import { z } from "zod";
import { count, lines } from "../words.ts";
import { defineTool } from "../tool.ts";

export default defineTool({
  title: "Record calls as a scenario",
  description:
    "Between start and stop, every pth_call_plugin_tool becomes a step. On stop they are kept as one scenario (Tier 2) under .pth/tests: " +
    "values that one call answered and a later one was given become captures, and only what would be answered again is expected.",
  annotations: { readOnlyHint: false, destructiveHint: false },
  input: z.strictObject({
    action: z.enum(["start", "stop"]),
    name: z.string().trim().min(1).exactOptional().describe("Of the test; with start."),
  }),
  async run({ action, name = "Recorded calls" }, { harness }) {
    const { recordCalls } = harness.session();
    if (action === "start") {
      recordCalls.start(name);
      return {
        text: `Recording "${name}". Next: pth_call_plugin_tool, then pth_record_calls({ action: "stop" }).`,
        data: { recording: name },
      };
    }
    const { test, calls, leftOut } = await recordCalls.stop();
    return {
      text: lines(
        `${count(calls, "call")} kept as ${test.id}${test.file === undefined ? "" : ` in ${test.file}`}.`,
        leftOut > 0 && `${count(leftOut, "call")} too many: left out.`,
        `Next: pth_run_test({ id: "${test.id}" }).`,
      ),
      data: { test, calls, leftOut },
    };
  },
});
