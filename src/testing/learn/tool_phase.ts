/** Order in which a search calls tools: what makes something, what shows it, what works on it, and what ends it. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { textWords } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";
import { exclusionReason, realPlace } from "../generate/excluded_tools.ts";

const making = new Set(
  "create make new init initialize write save store add insert open start begin register connect login setup load"
    .split(" "),
);
const showing = new Set("list show search find all query browse ls".split(" "));
const ending = new Set(
  "reset clear stop close end quit flush archive finish complete logout disconnect".split(" "),
);

export type ToolPhase = "make" | "show" | "use" | "end";
const phases: readonly ToolPhase[] = ["make", "show", "use", "end"];

export function toolPhase(tool: string): ToolPhase {
  const words = textWords(tool);
  const is = (verbs: ReadonlySet<string>) => words.some((word) => verbs.has(word));
  if (is(ending)) return "end";
  if (is(making)) return "make";
  return is(showing) ? "show" : "use";
}

/** In the server's order within each phase; what is dangerous comes last, a part before the whole that holds it. */
export function inCallOrder(tools: readonly ToolDefinition[]): ToolDefinition[] {
  const rank = (tool: ToolDefinition) =>
    exclusionReason(tool, realPlace) === undefined ? phases.indexOf(toolPhase(tool.name)) : phases.length;
  const ends = (tool: ToolDefinition) => rank(tool) >= phases.indexOf("end");
  // What names a chunk in a project needs both; what ends the project needs no more than its id.
  const ranked = tools.map((tool) => ({
    tool,
    rank: rank(tool),
    needed: ends(tool) ? numberNeeded(tool) : 0,
  }));
  return ranked.sort((a, b) => a.rank - b.rank || b.needed - a.needed).map(({ tool }) => tool);
}

function numberNeeded({ inputSchema }: ToolDefinition): number {
  const required = isObject(inputSchema) ? inputSchema.required : undefined;
  return Array.isArray(required) ? required.length : 0;
}
