/** `command_expanded`: the prompt was a command, and the model was told what the command says. */
import * as z from "zod";
import { textExcerpt } from "../../core/text.ts";
import { defineExpectation, type Judgement } from "../expectation.ts";
import { matchIn, patternKeys, patternMiss, textSchema } from "../expected_fields.ts";
import { timelineEntries } from "../observed_session.ts";

const schema = z.strictObject({
  command: textSchema.describe("The command: `/my-plugin:report`.").regex(/^\//, "expected a command: /name"),
  ...patternKeys,
});

export default defineExpectation({
  type: "command_expanded",
  summary:
    "The prompt was a command that the agent knew: the model was told the command's text (with Claude Code alone)",
  schema,
  example: { command: "/my-plugin:report", pattern: "read the configuration" },
  needsModelInput: true,
  describe: ({ command }: z.infer<typeof schema>) => `${command} is expanded`,
  judge({ command, pattern, flags }, session): Judgement {
    const { modelInput } = session;
    const fail = (reason: string, actual: unknown = null): Judgement => ({ pass: false, actual, reason });
    if (modelInput === undefined) {
      return fail("what the model was told is not known: it was too much to keep");
    }
    const texts = modelInput.filter((each) => each.agent === undefined && each.in === "messages").map((
      { text },
    ) => text);
    const expanded = texts.find((text) => text.includes(`<command-name>${command}</command-name>`));
    if (expanded === undefined) {
      const [prompt] = timelineEntries(session, "prompt");
      const asIs = prompt !== undefined && texts.some((text) => text.includes(prompt.text));
      const other = texts.map((text) => /<command-name>(.*?)<\/command-name>/.exec(text)?.[1])
        .find((name) => name !== undefined);
      return fail(
        `expected ${command} to be expanded, ` +
          (other !== undefined
            ? `the command was ${textExcerpt(other, 100)}`
            : asIs
            ? `the model was told the prompt as it is: ${textExcerpt(prompt!.text, 100)}`
            : "the model was told no command"),
      );
    }
    const text = expanded.slice(expanded.indexOf("<command-name>"));
    const miss = patternMiss("its text", text, pattern, flags);
    if (miss !== undefined) return fail(miss, { command, context: textExcerpt(text, 300) });
    return {
      pass: true,
      actual: { command, ...(pattern === undefined ? {} : matchIn(text, pattern, flags)) },
    };
  },
});
