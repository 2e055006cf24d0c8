/** Shapes of `expect` and of a `verify` command: the assertions there are. */
import { z } from "zod";
import { entriesFor } from "../judge/assertion_table.ts";

const shapeOf = (subject: "response" | "command"): Record<string, z.ZodOptional<z.ZodType>> =>
  Object.fromEntries(
    entriesFor(subject).map(({ key, assertion, ignoreCase }) => {
      const summary = `${assertion.summary}${ignoreCase ? "; upper and lower case ignored" : ""}.`;
      return [key, z.optional(assertion.schema).describe(summary)];
    }),
  );

export const expectSchema = z.strictObject(shapeOf("response"));

export const verifySchema = z.strictObject({
  exec: z.string().min(1)
    .describe("A command for `sh -c`, run inside the environment in the plugin's folder."),
  ...shapeOf("command"),
});
