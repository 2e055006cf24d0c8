import t from "tap";
import { z } from "zod";
import { issueText } from "../../../src/core/issue_text.ts";

const told = (schema: z.ZodType, value: unknown) =>
  issueText(schema.safeParse(value).error!.issues[0]!, value);

t.test("what is too short or too long is told as what it is: a list, text, a number", (t) => {
  t.equal(told(z.array(z.string()).min(1), []), "expected a list of at least 1, got []");
  t.equal(told(z.array(z.int()).max(1), [1, 2]), "expected a list of at most 1, got [1,2]");
  t.equal(told(z.string().min(1), ""), 'expected text that is not empty, got ""');
  t.equal(told(z.string().max(2), "abc"), 'expected text of at most 2 characters, got "abc"');
  t.equal(told(z.number().min(1), 0), "expected a number of at least 1, got 0");
  t.equal(told(z.number().positive(), 0), "expected a number above 0, got 0");
  t.end();
});
