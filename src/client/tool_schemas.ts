/** JSON Schemas of tools: compiled once, non-strict, in the dialect that they name. */
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { ToolDefinition } from "../../machines/model/plugin.ts";
import { messageOf } from "../errors.ts";
import { isObject } from "../values.ts";

/** Real servers use unknown keywords and formats: strict mode refuses what works everywhere. */
const options: Options = { strict: false, allErrors: true, logger: false, addUsedSchema: false };

type Dialect = "draft-07" | "2019-09" | "2020-12";
const makers = {
  "draft-07": () => new Ajv(options),
  "2019-09": () => new Ajv2019(options),
  "2020-12": () => new Ajv2020(options),
} satisfies Record<Dialect, () => Ajv>;
const compilers = new Map<Dialect, Ajv>();

function compilerFor(dialect: Dialect): Ajv {
  let compiler = compilers.get(dialect);
  if (compiler === undefined) {
    compiler = makers[dialect]();
    (addFormats as unknown as (ajv: Ajv) => Ajv)(compiler);
    compilers.set(dialect, compiler);
  }
  return compiler;
}

/** Dialects to try: the one that the schema names; where it names none, MCP says 2020-12 and older servers mean draft-07. */
function dialectsOf(schema: Record<string, unknown>): Dialect[] {
  const named = typeof schema.$schema === "string" ? schema.$schema : "";
  if (named.includes("draft-07") || named.includes("draft-06")) return ["draft-07"];
  if (named.includes("2019-09")) return ["2019-09"];
  return ["2020-12", "draft-07"];
}

export type Validator = (value: unknown) => string[];
type Compiled = { validate: Validator } | { problem: string };

const compiled = new WeakMap<object, Compiled>();

function compile(schema: unknown): Compiled {
  if (!isObject(schema)) {
    return { problem: `the schema is ${schema === null ? "null" : typeof schema}, not an object` };
  }
  const known = compiled.get(schema);
  if (known) return known;
  const { $schema: _, ...body } = schema;
  let problem = "";
  for (const dialect of dialectsOf(schema)) {
    try {
      const validate = compilerFor(dialect).compile(body);
      compilerFor(dialect).removeSchema(body);
      return remember(schema, { validate: (value) => validate(value) ? [] : describe(validate) });
    } catch (error) {
      // Told to the caller below, unless another dialect takes the schema.
      problem ||= messageOf(error);
    }
  }
  return remember(schema, { problem });
}

function remember(schema: object, result: Compiled): Compiled {
  compiled.set(schema, result);
  return result;
}

const describe = ({ errors }: ValidateFunction): string[] =>
  (errors ?? []).map((error: ErrorObject) => {
    const extra = "additionalProperty" in error.params ? `: ${error.params.additionalProperty}` : "";
    return `${error.instancePath || "/"} ${error.message}${extra}`;
  });

/** A function that lists how a value breaks the schema, or undefined for a schema that does not compile. */
export function validatorFor(schema: unknown): Validator | undefined {
  const result = compile(schema);
  return "validate" in result ? result.validate : undefined;
}

export interface SchemaProblem {
  tool: string;
  which: "name" | "inputSchema" | "outputSchema";
  message: string;
}

/** Schemas that do not compile, input schemas that describe no object, and names that are there twice. */
export function schemaProblems(tools: readonly ToolDefinition[]): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  const names = new Set<string>();
  for (const tool of tools) {
    const report = (which: SchemaProblem["which"], message: string) =>
      problems.push({ tool: tool.name, which, message });
    if (names.has(tool.name)) report("name", "the server lists this tool more than once");
    names.add(tool.name);
    for (const which of ["inputSchema", "outputSchema"] as const) {
      const schema = tool[which];
      if (which === "outputSchema" && schema === undefined) continue;
      const result = compile(schema);
      if ("problem" in result) report(which, result.problem);
      else if (isObject(schema) && schema.type !== "object" && which === "inputSchema") {
        report(which, `"type" is ${JSON.stringify(schema.type)}, not "object"`);
      }
    }
  }
  return problems;
}
