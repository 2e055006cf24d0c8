/** `subagent_event`: a subagent was started, or came to its end. */
import * as z from "zod";
import { defineExpectation } from "../expectation.ts";
import { globMiss, globSchema, rangeLimits, rangeSchema } from "../expected_fields.ts";
import { judgeCandidates } from "../judge_candidates.ts";
import { timelineEntries } from "../observed_session.ts";

const events = ["SubagentStart", "SubagentStop"] as const;

const schema = z.strictObject({
  event: z.enum(events).describe("The start of a subagent, or its end."),
  agent_id: globSchema.optional().describe(
    "Glob for the id in the trace (`call-3`): that of the call that started it.",
  ),
  agent_type: globSchema.optional().describe("Glob for its type: `my-plugin:reviewer`."),
  count: rangeSchema.optional().describe("Number of such subagents, or min and max; 0: there is none."),
});

export default defineExpectation({
  type: "subagent_event",
  summary: "A subagent was started, or came to its end",
  schema,
  example: { event: "SubagentStop", agent_type: "my-plugin:reviewer" },
  describe: ({ event, agent_type: type, agent_id: id, count }: z.infer<typeof schema>) =>
    `${type ?? id ?? "a subagent"} ${count === 0 ? "is never" : "is"} ${
      event === "SubagentStart" ? "started" : "ended"
    }`,
  judge(expected, session) {
    return judgeCandidates({
      noun: `the event ${expected.event}${
        expected.agent_type === undefined ? "" : ` of ${expected.agent_type}`
      }`,
      candidates: timelineEntries(session, "subagent").map(({ at, id, agent, hooks }) => ({
        at,
        actual: { event: expected.event, agent_id: id, agent_type: agent },
        shown: `the subagent ${agent} (${id})`,
        misses: [
          globMiss("its type", agent, expected.agent_type),
          globMiss("its id", id, expected.agent_id),
          hooks.some(({ event }) => event === expected.event)
            ? undefined
            : `it has no event ${expected.event}`,
        ],
      })),
      limits: rangeLimits(expected.count, { min: 1, max: Infinity }),
    });
  },
});
