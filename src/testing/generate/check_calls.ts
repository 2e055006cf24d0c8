/** Calls that checks of the server may make: of tools that leave things as they are, with inputs that their schemas allow. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { textWords } from "../../core/text.ts";
import { exampleInput } from "../json_schema/example_input.ts";
import { type Schema, typesOf } from "../json_schema/schema.ts";
import {
  enumOf,
  type GeneratedInput,
  isDuration,
  schemaProperties,
} from "../json_schema/schema_properties.ts";
import { exclusionReason, readableTools } from "./excluded_tools.ts";

/** Words of names of tools that change what they work on, where no hint says that they only read. */
const changing = new Set(
  ("make create new init write save store update upsert set put insert append edit delete move rename reset clear stop " +
    "close end quit flush register unregister upload import install start open patch replace commit push pull restore " +
    "log record remember track complete approve reject assign cancel merge apply sync enable disable subscribe toggle " +
    "increment add remove submit book order reserve archive").split(" "),
);

/** Whether calls of the tool leave what they work on as it is, as far as its hints and its name say. */
export function isCalm(tool: ToolDefinition): boolean {
  if (exclusionReason(tool) !== undefined) return false;
  const { readOnlyHint } = tool.annotations ?? {};
  if (typeof readOnlyHint === "boolean") return readOnlyHint;
  const words = textWords(tool.name);
  // A calculator's `add` adds nothing to anything.
  return words.join() === "add" || !words.some((word) => changing.has(word));
}

export const calmTools = (tools: readonly ToolDefinition[]): ToolDefinition[] =>
  readableTools(tools, {}).filter(isCalm);

/** The plainest valid input of a tool, with short delays; undefined where none could be made in time. */
export const plainInput = (tool: ToolDefinition): GeneratedInput | undefined => exampleInput(tool)?.input;

/** Time in ms that a call with `waitingInput` takes where it sleeps for the time given. */
const waitMs = 400;

/** A valid input by which the tool takes a moment, where its schema has a property for that; else its plainest. */
export function waitingInput(tool: ToolDefinition): GeneratedInput | undefined {
  const found = exampleInput(tool);
  if (found === undefined) return undefined;
  const { schema, isValid, input } = found;
  const slept = schemaProperties(schema).filter(({ name, part }) =>
    isDuration(name) && !/time_?out|ttl|interval/i.test(name) && isNumeric(part)
  );
  for (const { name, part } of slept) {
    const time = inUnitOf(name, part, waitMs);
    const waiting = { ...input, [name]: typesOf(part).includes("number") ? time : Math.ceil(time) };
    if (isValid(waiting)) return waiting;
  }
  return input;
}

const isNumeric = (part: Schema): boolean => typesOf(part).some((type) => /^(?:integer|number)$/.test(type));

/** A time in ms in the unit of the property, by its name, description or limits. */
export function inUnitOf(name: string, part: Schema, ms: number): number {
  const told = [...textWords(name), ...textWords(String(part.description ?? "").slice(0, 300))];
  if (told.some((word) => /^(?:ms|millis|milliseconds?)$/.test(word))) return ms;
  if (told.some((word) => /^(?:s|secs?|seconds?)$/.test(word))) return ms / 1000;
  return Math.max(Number(part.default ?? 0), Number(part.maximum ?? 0)) >= 500 ? ms : ms / 1000;
}

/** Marks that tell the answers to two calls from each other; no word of a language has them. */
const marks = ["pthquokka", "pthzebu"] as const;

export interface MarkedInput {
  input: GeneratedInput;
  /** Text of the input that no other input has, where it has one. */
  mark?: string;
}

/** Up to two valid inputs that differ: by a text of their own, else by another value; the plainest where none is free. */
export function distinctInputs(tool: ToolDefinition): MarkedInput[] {
  const found = exampleInput(tool);
  if (found === undefined) return [];
  const { schema, isValid, input } = found;
  for (const { name, part } of schemaProperties(schema)) {
    const { format, pattern } = part;
    const isFree = typeof input[name] === "string" && enumOf(part, schema).length === 0 &&
      format === undefined && pattern === undefined && part.const === undefined;
    if (!isFree) continue;
    const marked = marks.map((mark) => ({ input: { ...input, [name]: mark }, mark }));
    if (marked.every((each) => isValid(each.input))) return marked;
  }
  for (const { name, part } of schemaProperties(schema)) {
    const value = input[name];
    const other = { ...input, [name]: Number(value) + 1 };
    if (typeof value === "number" && isNumeric(part) && isValid(other)) return [{ input }, { input: other }];
  }
  return [{ input }];
}
