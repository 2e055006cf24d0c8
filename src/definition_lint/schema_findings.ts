/** Mistakes of a JSON file against its schema, as findings. */
import type { z } from "zod";
import { schemaMistakes } from "../core/schema_mistakes.ts";
import type { FoundDefinition } from "./definition_rule.ts";
import type { JsonFile } from "./read_definitions.ts";

/** A key that is not known is ignored by Claude Code, and no error. */
export const schemaFindings = (
  { file, document, value }: JsonFile,
  schema: z.ZodType,
  next: string,
): FoundDefinition[] =>
  schemaMistakes(file, document, value, schema).map(({ message, ...place }) =>
    /unknown key "/.test(message)
      ? { severity: "warning", ...place, message, next: "Correct its name, or remove it: it is ignored" }
      : { severity: "error", ...place, message, next }
  );
