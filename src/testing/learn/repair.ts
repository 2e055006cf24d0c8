/** Defines repairs of refused calls: one file each in `repairs/`, which reads a refusal and proposes other attempts. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import type { GeneratedInput } from "../json_schema/schema_properties.ts";
import type { Schema } from "../json_schema/schema.ts";
import type { Attempt } from "./attempt.ts";
import type { InputPlace } from "./input_places.ts";
import type { KnownValues } from "./known_values.ts";

/** A call that was refused, and all that a repair may look at. */
export interface RefusedCall {
  tool: ToolDefinition;
  schema: Schema;
  attempt: Attempt;
  /** Texts and numbers of the attempt's input. */
  places: readonly InputPlace[];
  /** The server's words, of bounded length. */
  words: string;
  /** A valid input with all properties. */
  full: GeneratedInput;
  /** Other valid inputs, the plainest first. */
  others: readonly GeneratedInput[];
  /** All tools that may be called. */
  tools: readonly ToolDefinition[];
  values: KnownValues;
  /** Absolute path of the plugin's folder where calls land. */
  folder: string | undefined;
  /** Whether the example pages are served. */
  page: boolean;
}

interface RepairDefinition {
  /** Name of its file. */
  name: string;
  /** One line for the reference: which refusals it repairs, and how. */
  summary: string;
  /** Repairs with a lower number are tried first. */
  rank: number;
  /** Attempts that may be accepted, the likeliest first; none where the refusal is about something else. */
  repair(call: RefusedCall): Attempt[];
}

/** Identity with types: the default export of a file in `repairs/`. */
export const defineRepair = (definition: RepairDefinition): RepairDefinition => definition;
