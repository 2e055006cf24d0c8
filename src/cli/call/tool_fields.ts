/** Fields of a tool's input, as `pth call` takes them and `pth inspect` lists them. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { count, oneLine, textExcerpt } from "../../core/text.ts";
import { flattenSchema, schemaBranches } from "../../testing/json_schema/flatten_schema.ts";
import { inTime } from "../../testing/json_schema/in_time.ts";
import { asSchema, typesOf } from "../../testing/json_schema/schema.ts";
import { enumOf } from "../../testing/json_schema/schema_properties.ts";

export interface ToolField {
  name: string;
  required: boolean;
  /** Types of JSON Schema that it may have; empty: any. */
  types: string[];
  /** Values of an enumeration; empty: any of the types. */
  values: unknown[];
  default?: unknown;
  description: string;
}

export interface ToolFields {
  fields: ToolField[];
  /** Whether keys in addition to the fields make sense. */
  open: boolean;
  /** Set where the schema could not be read in time: nothing is known of the fields. */
  problem?: string;
}

/** Reads the fields from the input schema, in bounded time, as that is the server's. */
export function toolFields({ inputSchema }: Pick<ToolDefinition, "inputSchema">): ToolFields {
  const { result, problem } = inTime(inputSchema, () => fieldsOf(inputSchema));
  return problem === undefined ? result! : { fields: [], open: true, problem };
}

function fieldsOf(inputSchema: unknown): ToolFields {
  const root = asSchema(inputSchema);
  const { properties, required, additionalProperties, patternProperties, anyOf, oneOf } = flattenSchema(
    root,
    root,
  );
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields = Object.entries(asSchema(properties)).map(([name, node]): ToolField => {
    const part = flattenSchema(asSchema(node), root);
    // A server may name as a type what is none.
    const branches = schemaBranches(part, root)
      .map((branch) => typesOf(branch).filter((type) => typeof type === "string"));
    return {
      name,
      required: needed.has(name),
      types: branches.some((types) => types.length === 0) ? [] : [...new Set(branches.flat())],
      values: Object.hasOwn(part, "const") ? [part.const] : enumOf(part, root),
      ...(part.default === undefined ? {} : { default: part.default }),
      description: typeof part.description === "string" ? part.description : "",
    };
  });
  // Without a word on other keys a schema with fields allows them, and a server ignores them.
  const open = additionalProperties === undefined
    ? fields.length === 0 || [patternProperties, anyOf, oneOf].some((part) => part !== undefined)
    : additionalProperties !== false;
  return { fields, open };
}

/** Values of an enumeration that are named. */
const mostValues = 12;

function kindOf({ types, values }: ToolField): string {
  if (values.length === 0) return types.length === 0 ? "any" : types.join("|");
  const named = values.slice(0, mostValues).map((value) =>
    typeof value === "string" ? value : textExcerpt(value)
  );
  return [...named, ...(values.length > mostValues ? ["…"] : [])].join("|");
}

/** One row for each field, required ones with "*". */
export const fieldRows = ({ fields, problem }: ToolFields): string[] =>
  problem !== undefined ? [`(fields unknown: ${problem})`] : fields.map((field) => {
    const standard = field.default === undefined ? "" : ` (default: ${textExcerpt(field.default, 60)})`;
    const text = field.description === "" ? "" : `  ${oneLine(field.description, 100)}`;
    return `${field.name}${field.required ? "*" : ""}: ${kindOf(field)}${standard}${text}`;
  });

/** Fields named in a usage line. */
const mostNamed = 12;

/** `<tool> text=<string> [times=<integer>]`: required fields first. */
export function toolUsage(tool: string, { fields, open }: ToolFields): string {
  const ordered = [
    ...fields.filter(({ required }) => required),
    ...fields.filter(({ required }) => !required),
  ];
  const words = ordered.slice(0, mostNamed).map((field) => {
    const word = `${field.name}=<${kindOf(field)}>`;
    return field.required ? word : `[${word}]`;
  });
  const left = ordered.length - words.length;
  if (left > 0) words.push(`[and ${count(left, "more field")}]`);
  if (open) words.push("[key=value …]");
  return [tool, ...words].join(" ");
}
