/**
 * JSON Schemas of tools: compiled once, non-strict, in the dialect that they name. They are the server's: what is too large
 * is not compiled, and what does not end is stopped.
 */
import { truncate } from "../core/text.ts";
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { ToolDefinition } from "../../machines/model/plugin.ts";
import { bounded, OutOfTime } from "../platform/bounded.ts";
import { createBreather } from "../core/waiting.ts";
import { errorMessage } from "../core/errors.ts";
import { isObject } from "../core/values.ts";
import { withPlainNullable } from "./with_plain_nullable.ts";
import type { RegExpEngine } from "ajv/dist/types/index.js";

let running: string | undefined;

/** Gives ajv JavaScript's own regular expressions, noted while they match. */
export const trackedPatterns: RegExpEngine = Object.assign(
  (pattern: string, flags: string) => {
    const expression = new RegExp(pattern, flags);
    return {
      test(text: string): boolean {
        running = pattern;
        const matched = expression.test(text);
        running = undefined;
        return matched;
      },
      // What is equal is compiled once.
      toString: () => String(expression),
    };
  },
  { code: "new RegExp" },
);

/** The pattern in whose midst the engine was stopped, once; undefined where it was elsewhere. */
function stoppedPattern(): string | undefined {
  const pattern = running;
  running = undefined;
  return pattern;
}

/** Finds the place of a pattern in a schema, as in "properties/name/pattern"; the schema is small (`schemaExcess`). */
function placeOfPattern(schema: unknown, pattern: string, path = ""): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  for (const [key, child] of Object.entries(schema)) {
    const place = path === "" ? key : `${path}/${key}`;
    if (key === "pattern" && child === pattern) return place;
    if (key === "patternProperties" && isObject(child) && Object.hasOwn(child, pattern)) return place;
    const below = placeOfPattern(child, pattern, place);
    if (below !== undefined) return below;
  }
  return undefined;
}

/** Real servers use unknown keywords and formats: strict mode refuses what works everywhere. */
const options: Options = {
  strict: false,
  allErrors: true,
  logger: false,
  addUsedSchema: false,
  code: { regExp: trackedPatterns },
};

type Dialect = "draft-07" | "2019-09" | "2020-12";
const makers = {
  "draft-07": () => new Ajv(options),
  "2019-09": () => new Ajv2019(options),
  "2020-12": () => new Ajv2020(options),
} satisfies Record<Dialect, () => Ajv>;
const compilers = new Map<Dialect, Ajv>();
/** Set while one compiles: a compiler that was stopped in the midst of it is not used again. */
let compiling: Dialect | undefined;

function compilerFor(dialect: Dialect): Ajv {
  let compiler = compilers.get(dialect);
  if (compiler === undefined) {
    compiler = makers[dialect]();
    (addFormats as unknown as (ajv: Ajv) => Ajv)(compiler);
    compilers.set(dialect, compiler);
  }
  return compiler;
}

function compileWith(dialect: Dialect, body: Record<string, unknown>): ValidateFunction {
  if (compiling !== undefined) compilers.delete(compiling);
  compiling = dialect;
  const compiler = compilerFor(dialect);
  try {
    const validate = compiler.compile(body);
    compiler.removeSchema(body);
    return validate;
  } finally {
    compiling = undefined;
  }
}

/** Dialects to try: the one that the schema names; where it names none, MCP says 2020-12 and older servers mean draft-07. */
function dialectsOf(schema: Record<string, unknown>): Dialect[] {
  const named = typeof schema.$schema === "string" ? schema.$schema : "";
  if (named.includes("draft-07") || named.includes("draft-06")) return ["draft-07"];
  if (named.includes("2019-09")) return ["2019-09"];
  return ["2020-12", "draft-07"];
}

type Validator = (value: unknown) => string[];
type Compiled = { validate: Validator } | { problem: string; outOfTime?: true };

const compiled = new WeakMap<object, Compiled>();

function compile(schema: unknown): Compiled {
  if (!isObject(schema)) {
    return { problem: `the schema is ${schema === null ? "null" : typeof schema}, not an object` };
  }
  const known = compiled.get(schema);
  if (known) return known;
  const excess = schemaExcess(schema);
  if (excess !== undefined) return remember(schema, { problem: excess });
  const { $schema: _, ...body } = withPlainNullable(schema);
  let problem = "";
  for (const dialect of dialectsOf(schema)) {
    try {
      const validate = bounded(() => compileWith(dialect, body));
      return remember(schema, { validate: validator(schema, validate) });
    } catch (error) {
      if (error instanceof OutOfTime) {
        const result: Compiled = { problem: `compiling it is ${error.message}`, outOfTime: true };
        return isCertain(schema, error) ? remember(schema, result) : result;
      }
      // Told to the caller below, unless another dialect takes the schema.
      problem ||= error instanceof RangeError ? endless : errorMessage(error).slice(0, longestBreach);
    }
  }
  return remember(schema, { problem });
}

const endless = "its references or its levels have no end";

function remember(schema: object, result: Compiled): Compiled {
  compiled.set(schema, result);
  return result;
}

/** Times that one schema is tried which ran out of time on a machine that was too busy to tell: each may take 4 s. */
const mostStarved = 3;
const starvedTimes = new WeakMap<object, number>();

/** Whether work on a schema that ran out of time would do so again. */
function isCertain(schema: object, { starved }: OutOfTime): boolean {
  const times = (starvedTimes.get(schema) ?? 0) + (starved ? 1 : 0);
  starvedTimes.set(schema, times);
  return !starved || times >= mostStarved;
}

/** Validations of one schema that may run out of time before it is given up. */
const mostStops = 2;

/** A validator that ends. What cannot be checked is no valid value: the breach then names pattern, place and limit. */
function validator(schema: object, validate: ValidateFunction): Validator {
  let stops = 0;
  let stopped = "";
  return (value) => {
    if (stops >= mostStops) return [stopped];
    try {
      return bounded(() => validate(value) ? [] : describe(validate));
    } catch (error) {
      if (error instanceof RangeError) return [`/ cannot be checked: of the schema, ${endless}`];
      if (!(error instanceof OutOfTime)) throw error;
      if (isCertain(schema, error)) stops++;
      stopped = `/ cannot be checked, that is ${error.message}: ${whatRan(schema)}`;
      return [stopped];
    }
  };
}

/** The part of a schema that was stopped, and where it stands. */
export function whatRan(schema: unknown): string {
  const pattern = stoppedPattern();
  if (pattern === undefined) return "the schema takes too long";
  const shown = truncate(pattern, 200);
  return `the pattern ${shown} of the schema, at ${
    placeOfPattern(schema, pattern) ?? "an unknown place"
  }, runs away`;
}

/** Limit on schema violations in one message, and on the length of each. */
const breachesTold = 50;
const longestBreach = 500;

function describe({ errors }: ValidateFunction): string[] {
  const all = errors ?? [];
  const told = all.slice(0, breachesTold).map((error: ErrorObject) => {
    const extra = "additionalProperty" in error.params ? `: ${error.params.additionalProperty}` : "";
    const text = `${error.instancePath || "/"} ${error.message}${extra}`;
    return truncate(text, longestBreach);
  });
  return all.length > told.length ? [...told, `… and ${all.length - told.length} more violations`] : told;
}

/**
 * A function that lists how a value breaks the schema, or undefined for a schema that does not compile. Within `bounded`
 * work it stops with that.
 */
export function validatorFor(schema: unknown): Validator | undefined {
  const result = compile(schema);
  return "validate" in result ? result.validate : undefined;
}

export interface SchemaProblem {
  tool: string;
  which: "name" | "inputSchema" | "outputSchema";
  message: string;
}

/** Schemas of one server that may run out of time before the others are left unread. */
const mostSlow = 3;

/** Schemas that do not compile, input schemas that describe no object, and names that are there twice. */
export async function schemaProblems(tools: readonly ToolDefinition[]): Promise<SchemaProblem[]> {
  const problems: SchemaProblem[] = [];
  const names = new Set<string>();
  const breathe = createBreather();
  let slow = 0;
  for (const [index, tool] of tools.entries()) {
    await breathe();
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
      if ("outOfTime" in result) slow++;
    }
    if (slow < mostSlow) continue;
    const left = tools.length - index - 1;
    if (left > 0) report("inputSchema", `${slow} schemas ran out of time: ${left} more tools were not read`);
    break;
  }
  return problems;
}

/** Real schemas stay far below: the largest of 500 published tools has some hundred objects. */
const schemaLimits = {
  /** Characters of all texts and names together. */
  characters: 1_000_000,
  /** Objects and lists. */
  objects: 5_000,
  /** Objects and lists within each other. */
  levels: 250,
  /** Members of all objects and lists together. */
  members: 100_000,
  /** Patterns: each is compiled. */
  patterns: 500,
};

interface Open {
  value: unknown;
  level: number;
  path: string;
}

/** Finds the limit that a schema goes beyond, and where; undefined where it keeps to all of them. Never recursive itself. */
function schemaExcess(schema: unknown): string | undefined {
  const open: Open[] = [{ value: schema, level: 0, path: "" }];
  const found = { characters: 0, objects: 0, patterns: 0, members: 0 };
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, level, path } = next;
    if (typeof value === "string") found.characters += value.length;
    if (typeof value === "object" && value !== null) {
      found.objects++;
      if (level > schemaLimits.levels) return tell(path, "nested levels", schemaLimits.levels);
      const members = Array.isArray(value) ? value.length : Object.keys(value).length;
      found.members += members;
      if (found.members > schemaLimits.members) return tell(path, "members", schemaLimits.members);
      for (const [key, child] of Object.entries(value)) {
        if (!Array.isArray(value)) found.characters += key.length;
        if (key === "pattern" && typeof child === "string") found.patterns++;
        if (key === "patternProperties" && isObject(child)) found.patterns += Object.keys(child).length;
        open.push({ value: child, level: level + 1, path: deeper(path, key) });
      }
    }
    for (const key of ["characters", "objects", "patterns"] as const) {
      if (found[key] > schemaLimits[key]) return tell(path, words[key], schemaLimits[key]);
    }
  }
  return undefined;
}

const words = { characters: "characters", objects: "objects and lists", patterns: "patterns" };

const tell = (path: string, what: string, most: number): string =>
  `the schema exceeds the limits: over ${most.toLocaleString("en")} ${what}, at ${path || "its top"}`;

/** A path that is to be read by a person ends somewhere. */
const deeper = (path: string, key: string): string => {
  if (path.endsWith("…")) return path;
  const next = path === "" ? key.slice(0, 60) : `${path}/${key.slice(0, 60)}`;
  return next.length > 200 ? `${path}/…` : next;
};
