/** Every key that a test file may hold, from the schema that reads it, with the example that is kept for it. */
import { join } from "node:path";
import * as z from "zod";
import { readTextIfExists } from "../../src/platform/files.ts";
import { testSchema } from "../../src/testing/format/test_schema.ts";

/** Where the examples lie, `<path of the keyword>.yaml` each. */
export const examplesFolder = "test/examples";

export interface Keyword {
  /** Its place: `steps.capture`, `expect.output_contains`; the keys of `tool_sequence` are those of `steps`. */
  path: string;
  description: string;
  required: boolean;
  schema: z.ZodType;
}

/** What becomes of an example, as its marker says. */
export interface Example {
  yaml: string;
  outcome: "passes" | "fails" | "skipped" | "refused";
  /** Part of the message; for a refused one it begins with line and column. */
  message: string;
}

/** In the order in which a page tells them: keys of a test first, then what is within them. */
export function testKeywords(): Keyword[] {
  const seen = new Set<z.ZodObject>([testSchema]);
  const found: Keyword[] = [];
  const waiting: { prefix: string; map: z.ZodObject }[] = [{ prefix: "", map: testSchema }];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    for (const [key, schema] of Object.entries(next.map.shape as Record<string, z.ZodType>)) {
      const path = `${next.prefix}${key}`;
      found.push({
        path,
        description: schema.description ?? "",
        required: !(schema instanceof z.ZodOptional),
        schema,
      });
      const map = mapWithin(schema);
      if (map === undefined || seen.has(map)) continue;
      seen.add(map);
      waiting.push({ prefix: `${path}.`, map });
    }
  }
  return found;
}

/** The map that a key holds, itself or as elements of a list. */
function mapWithin(schema: unknown): z.ZodObject | undefined {
  if (schema instanceof z.ZodOptional) return mapWithin(schema.unwrap());
  if (schema instanceof z.ZodArray) return mapWithin(schema.element);
  return schema instanceof z.ZodObject ? schema : undefined;
}

const marker = /^# (skipped): (.*)\n/;
const second = /^--- # (fails|skipped|refused): (.*)\n/m;

/** The example that passes and the one that does not. @throws {Error} where there is none, or it is not made so */
export async function examplesOf(root: string, path: string): Promise<[Example, Example]> {
  const file = `${examplesFolder}/${path}.yaml`;
  const text = await readTextIfExists(join(root, file));
  if (text === undefined) {
    throw new Error(
      `${file}: is missing; write a test that uses \`${path}\` and passes, a line "--- # fails: <part of the message>" ` +
        `(or skipped, refused), and one that does not`,
    );
  }
  const [first, outcome, message, other] = text.split(second);
  if (other === undefined) {
    throw new Error(
      `${file}: expected two tests with a line "--- # fails: <part of the message>" (or skipped, refused) between them`,
    );
  }
  const skipped = marker.exec(first!);
  return [
    {
      yaml: first!.replace(marker, ""),
      outcome: skipped === null ? "passes" : "skipped",
      message: skipped?.[2] ?? "",
    },
    { yaml: other, outcome: outcome as Example["outcome"], message: message! },
  ];
}
