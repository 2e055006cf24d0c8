/** `hook_event`: the agent fired an event for its hooks. */
import * as z from "zod";
import { defineExpectation } from "../expectation.ts";
import {
  globMiss,
  globSchema,
  patternMiss,
  rangeLimits,
  rangeSchema,
  textPatternSchema,
  textSchema,
} from "../expected_fields.ts";
import { judgeCandidates } from "../judge_candidates.ts";
import type { ObservedSession } from "../observed_session.ts";

const schema = z.strictObject({
  event: textSchema.describe("Name of the event: `SessionStart`, `PreToolUse`, `Stop` …"),
  tool: globSchema.optional().describe("Glob for the tool whose call the event belongs to."),
  agent: globSchema.optional().describe("Glob for the type of the subagent that the event belongs to."),
  failed: z.union([z.boolean(), textPatternSchema], {
    error: "expected true, false, or a regular expression for the failure",
  }).optional().describe("Whether a hook for this event failed; or a pattern for how."),
  count: rangeSchema.optional().describe("Number of such events, or min and max; 0: it is never fired."),
});

type Expected = z.infer<typeof schema>;

interface FiredEvent {
  at: number;
  event: string;
  tool?: string;
  agent?: string;
  failed?: string;
}

export default defineExpectation({
  type: "hook_event",
  summary: "The agent fired an event for its hooks (with Claude Code alone)",
  schema,
  example: { event: "PreToolUse", tool: "Bash" },
  describe: ({ event, tool, agent, count }: Expected) =>
    `${event}${tool === undefined ? "" : ` for ${tool}`}${agent === undefined ? "" : ` of ${agent}`} is ${
      count === 0 ? "never fired" : "fired"
    }`,
  judge(expected: Expected, session) {
    const { event: wanted, tool, agent } = expected;
    return judgeCandidates({
      noun: `the event ${wanted}`,
      candidates: firedEvents(session).map(({ at, ...fired }) => ({
        at,
        actual: fired,
        shown: [fired.event, fired.tool ?? fired.agent].filter(Boolean).join(" for "),
        misses: [
          fired.event === wanted ? undefined : `the event is ${fired.event}`,
          tool === undefined ? undefined : globMiss("the tool", fired.tool ?? "none", tool),
          agent === undefined ? undefined : globMiss("the subagent", fired.agent ?? "none", agent),
          failureMiss(expected, fired.failed),
        ],
      })),
      limits: rangeLimits(expected.count, { min: 1, max: Infinity }),
    });
  },
});

const firedEvents = ({ trace }: ObservedSession): FiredEvent[] =>
  trace.timeline.flatMap((entry, at): FiredEvent[] =>
    "hooks" in entry
      ? entry.hooks.map((hook) => ({
        at,
        ...hook,
        ...(entry.type === "tool_call" ? { tool: entry.tool } : {}),
        ...(entry.type === "subagent" ? { agent: entry.agent } : {}),
      }))
      : []
  );

function failureMiss({ failed: wanted }: Expected, failed: string | undefined): string | undefined {
  if (wanted === undefined) return undefined;
  if (wanted === false) return failed === undefined ? undefined : `a hook failed: ${failed}`;
  if (failed === undefined) return "no hook failed";
  return wanted === true ? undefined : patternMiss("the failure", failed, wanted);
}
