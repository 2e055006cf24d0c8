/** Schema of the part of a playbook that `pth agent record` writes for `pth agent replay`. */
import * as z from "zod";

const name = z.string().min(1);

export const recordedSchema = z.strictObject({
  agent: name.describe("Agent that was recorded."),
  version: name.optional().describe("Its version."),
  model: name.optional().describe("Model that it was told to ask for; a replay tells it the same."),
  prompt: name.describe("Prompt that it was given; a replay gives it again."),
  requests: z.record(
    name,
    z.strictObject({
      system: name.describe("System prompt: the name of a text."),
      tools: name.describe("Tools that were offered: the name of a set."),
      messages: z.array(name).describe("Messages that were new, without the model's: names of texts."),
    }),
  ).describe("Requests by the names that turns give as `request`."),
  tool_sets: z.record(name, z.array(name)).describe("Sets of tools that were offered."),
  tools: z.record(
    name,
    z.strictObject({
      description: z.string().optional(),
      schema: z.record(z.string(), z.unknown()).optional(),
    }),
  ).describe("Tools that were offered, by name."),
  texts: z.record(name, z.string()).describe(
    "Texts of the requests; what changes each time is named: `<project>`, `<id>`, `<time>`, `<version>` and others.",
  ),
});
