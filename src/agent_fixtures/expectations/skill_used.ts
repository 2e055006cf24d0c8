/** `skill_used`: the model took a skill, and got it. */
import * as z from "zod";
import { isObject } from "../../core/values.ts";
import { defineExpectation } from "../expectation.ts";
import { globMiss, globSchema, rangeLimits, rangeSchema } from "../expected_fields.ts";
import { judgeCandidates } from "../judge_candidates.ts";
import { timelineEntries } from "../observed_session.ts";

const schema = z.strictObject({
  skill: globSchema.describe("Glob for the skill's name: `my-plugin:review`."),
  count: rangeSchema.optional().describe("Number of times, or min and max; 0: it is never used."),
});

/** Tools by which agents take skills. */
const skillTool = /^(?:skill|activate_skill)$/i;

export default defineExpectation({
  type: "skill_used",
  summary: "A skill was taken by the agent's tool for skills, which knew it",
  schema,
  example: { skill: "my-plugin:review" },
  describe: ({ skill, count }: z.infer<typeof schema>) =>
    `the skill ${skill} is ${count === 0 ? "never used" : "used"}`,
  judge({ skill, count }, session) {
    const calls = timelineEntries(session, "tool_call").filter(({ tool }) => skillTool.test(tool));
    return judgeCandidates({
      noun: `the skill ${skill}`,
      candidates: calls.map(({ at, input, is_error: isError, result }) => {
        const name = skillIn(input);
        return {
          at,
          actual: { skill: name, known: isError !== true },
          shown: `the skill ${name}`,
          misses: [
            globMiss("the skill", name, skill),
            isError === true ? `the agent could not use it: ${result ?? "no reason was given"}` : undefined,
          ],
        };
      }),
      limits: rangeLimits(count, { min: 1, max: Infinity }),
    });
  },
});

const skillIn = (input: unknown): string => {
  const { skill, name, command } = isObject(input) ? input : {};
  return String(skill ?? name ?? command ?? "");
};
