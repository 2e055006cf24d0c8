/** Order in which a search calls tools: what makes something, what shows it, what works on it, and what ends it. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { textWords } from "../../core/text.ts";
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

/** In the server's order within each phase; what is dangerous comes last. */
export function inCallOrder(tools: readonly ToolDefinition[]): ToolDefinition[] {
  const rank = (tool: ToolDefinition) =>
    exclusionReason(tool, realPlace) === undefined ? phases.indexOf(toolPhase(tool.name)) : phases.length;
  return [...tools].sort((a, b) => rank(a) - rank(b));
}
