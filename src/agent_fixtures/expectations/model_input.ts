/** `model_input`: a text that the model was sent matches, or none does. */
import * as z from "zod";
import { textExcerpt } from "../../core/text.ts";
import { defineExpectation, type Judgement } from "../expectation.ts";
import { matchIn, patternMiss, requiredPatternKeys, shownPattern } from "../expected_fields.ts";

const places = ["system", "messages", "tools"] as const;

const schema = z.strictObject({
  ...requiredPatternKeys,
  in: z.enum(places).optional().describe(
    "system: the system prompt; messages: those that are not the model's own; tools: names and descriptions of " +
      "the tools that it was offered. Absent: any.",
  ),
  of: z.enum(["main", "subagents", "all"]).optional().describe(
    "Whose model: that of the main conversation (default), of subagents, or any.",
  ),
  absent: z.boolean().optional().describe("true: nothing there matches."),
});

export default defineExpectation({
  type: "model_input",
  summary: "The model was sent a text that matches: in its system prompt, in a message, or with its tools",
  schema,
  example: { pattern: "cabinet it names", in: "messages" },
  needsModelInput: true,
  describe: ({ pattern, flags, absent }: z.infer<typeof schema>) =>
    `the model is ${absent === true ? "never told" : "told"} ${shownPattern(pattern, flags)}`,
  judge({ pattern, flags, in: place, of = "main", absent = false }, { modelInput }): Judgement {
    const shown = shownPattern(pattern, flags);
    if (modelInput === undefined) {
      return {
        pass: false,
        actual: null,
        reason: "what the model was told is not known: it was too much to keep",
      };
    }
    const among = modelInput.filter((each) =>
      (place === undefined || each.in === place) &&
      (of === "all" || (each.agent === undefined) === (of === "main"))
    );
    if (among.length === 0) {
      return { pass: false, actual: null, reason: `expected ${shown}: no model was told anything there` };
    }
    const found = among.find(({ text }) => patternMiss("it", text, pattern, flags) === undefined);
    if (found !== undefined) {
      const actual = { in: found.in, ...matchIn(found.text, pattern, flags) };
      return absent
        ? { pass: false, actual, reason: `expected no such text, found ${textExcerpt(actual.context, 200)}` }
        : { pass: true, actual };
    }
    if (absent) return { pass: true, actual: null };
    const elsewhere = modelInput.find((each) =>
      !among.includes(each) && patternMiss("it", each.text, pattern, flags) === undefined
    );
    const note = elsewhere === undefined
      ? ""
      : `; it was ${elsewhere.agent === undefined ? "in" : "told a subagent in"} its ${elsewhere.in}`;
    return {
      pass: false,
      actual: null,
      reason: `none of ${among.length} texts that the model was told matches ${shown}${note}`,
    };
  },
});
