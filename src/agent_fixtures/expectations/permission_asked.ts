/** `permission_asked`: the agent asked for a permission, which it was not granted. */
import * as z from "zod";
import { oneLine } from "../../core/text.ts";
import { defineExpectation } from "../expectation.ts";
import {
  callInputText,
  globMiss,
  globSchema,
  patternKeys,
  patternMiss,
  rangeLimits,
  rangeSchema,
} from "../expected_fields.ts";
import { judgeCandidates } from "../judge_candidates.ts";
import { timelineEntries } from "../observed_session.ts";

const schema = z.strictObject({
  tool: globSchema.describe("Glob for the tool that the permission is for."),
  ...patternKeys,
  count: rangeSchema.optional().describe("Number of times, or min and max; 0: it is never asked for."),
});

export default defineExpectation({
  type: "permission_asked",
  summary: "A permission was asked for, and not granted (with Claude Code and `permissions: ask` alone)",
  schema,
  example: { tool: "Write" },
  describe: ({ tool, count }: z.infer<typeof schema>) =>
    `the permission for ${tool} is ${count === 0 ? "never asked for" : "asked for"}`,
  judge({ tool, pattern, flags, count }, session) {
    return judgeCandidates({
      noun: `the permission for ${tool}`,
      candidates: timelineEntries(session, "tool_call").map((call) => ({
        at: call.at,
        actual: { tool: call.tool, command: callInputText(call), asked: call.denied === true },
        shown: `${call.tool} ${oneLine(callInputText(call))}`,
        text: callInputText(call),
        misses: [
          globMiss("the tool", call.tool, tool),
          patternMiss("its input", callInputText(call), pattern, flags),
          call.denied === true ? undefined : "no permission was asked for it",
        ],
      })),
      limits: rangeLimits(count, { min: 1, max: Infinity }),
      pattern,
    });
  },
});
