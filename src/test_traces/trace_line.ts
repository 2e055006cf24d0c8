/** Lines that tracers write, as they come from where tests run: nothing in them is believed before it is checked. */
import * as z from "zod";
import type { Redactor } from "../core/redact.ts";

const longestName = 500;
const longestValue = 4000;
const mostValues = 50;

const name = z.string().transform((text) => text.slice(0, longestName));
const value = z.string().transform((text) => text.slice(0, longestValue));
const values = z.record(name, value).transform((all) =>
  Object.fromEntries(Object.entries(all).slice(0, mostValues))
);
const id = z.string().max(100);
const at = z.number().finite();

const schema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("call"),
    id,
    parent: id.optional(),
    function: name,
    pid: z.number().int(),
    thread: name,
    /** In ms since the process was traced. */
    at,
    calledAt: name.optional(),
    arguments: values,
    watched: values.optional(),
  }),
  z.object({
    kind: z.literal("end"),
    id,
    at,
    returned: value.optional(),
    raised: value.optional(),
    watched: values.optional(),
  }),
  z.object({
    kind: z.literal("pattern"),
    pattern: name,
    functions: z.number().int().min(0),
    near: z.array(name).max(10).default([]),
  }),
  /** Calls of a function beyond those that are kept. */
  z.object({
    kind: z.literal("omitted"),
    function: name,
    /** Absent where they are not counted. */
    calls: z.number().int().min(0).optional(),
    /** True where counting ended before the calls did. */
    isLeast: z.boolean().optional(),
    /** Time of a call. */
    medianUs: z.number().finite().min(0).optional(),
  }),
  z.object({ kind: z.literal("note"), text: value }),
]);

export type TraceLine = z.output<typeof schema>;

/** Undefined for a line that is no trace. Secrets are taken out before values are cut, as half of one is a secret, too. */
export function readTraceLine(text: string, redact: Redactor): TraceLine | undefined {
  try {
    return schema.parse(redact.value(JSON.parse(text)));
  } catch {
    return undefined; // cut, or written by the program under test
  }
}
