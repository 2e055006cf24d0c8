/** Tools that no generated test calls unless it is asked for. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import type { GeneratedTests, GenerateOptions } from "../../api/harness.ts";
import { isObject } from "../../core/values.ts";
import type { InputHints } from "../json_schema/path_values.ts";
import { textWords } from "../../core/text.ts";

/** Place where a tool's calls land, as far as it decides whether they may be made. */
export interface CallPlace {
  /** The environment and its data are copies that are thrown away. */
  isolated: boolean;
  /** True where nothing real can be changed: there is no network, or no secret was given. */
  harmless: boolean;
}

/** Place of calls that change real data: the user's machine, or a server elsewhere. */
export const realPlace: CallPlace = { isolated: false, harmless: false };

export interface GenerateRequest extends GenerateOptions {
  place?: CallPlace;
  /** Files that inputs may name. */
  hints?: InputHints;
}

/** Words of a tool's name that say that it destroys. */
const destroying = new Set(
  ("delete del remove rm drop destroy purge wipe erase kill terminate shutdown reboot halt poweroff uninstall " +
    "revoke").split(" "),
);
/** Words of a tool's name that say that it acts on the world outside. */
const reaching = new Set("send publish deploy pay purchase transfer".split(" "));

interface Hazard {
  kind: "destroys" | "reaches out";
  /** Completes "held back: …": "it says destructiveHint: true". */
  reason: string;
}

/** Danger that a tool's hints and name tell of, or undefined. Hints that a tool does not give count as absent. */
function hazardOf({ name, annotations = {} }: ToolDefinition): Hazard | undefined {
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations;
  // MCP gives destructiveHint a meaning only for tools that are not read-only; and what only reads changes nothing outside.
  if (readOnlyHint !== true) {
    if (openWorldHint === true) return { kind: "reaches out", reason: "it says openWorldHint: true" };
    if (destructiveHint === true) return { kind: "destroys", reason: "it says destructiveHint: true" };
  }
  const words = textWords(name);
  const outside = words.find((word) => reaching.has(word));
  if (outside !== undefined) return { kind: "reaches out", reason: `its name says "${outside}"` };
  const word = words.find((part) => destroying.has(part));
  return word === undefined ? undefined : { kind: "destroys", reason: `its name says "${word}"` };
}

/** Reason why a tool is held back where its calls would land, or undefined. */
export function exclusionReason(
  tool: ToolDefinition,
  { isolated, harmless }: CallPlace = realPlace,
): string | undefined {
  const hazard = hazardOf(tool);
  const allowed = hazard === undefined || (isolated && (harmless || hazard.kind === "destroys"));
  return allowed ? undefined : hazard.reason;
}

/** Place by which a request decides: what it holds back by itself is held back anywhere. */
export const decidingPlace = ({ includeHeldBack, place }: GenerateRequest): CallPlace =>
  includeHeldBack === false ? realPlace : place ?? realPlace;

/** Words of a tool's name that say that it makes what others work on. */
const making = new Set("create make new init write save store".split(" "));

/** Words of a tool's name that say that it ends what others work on. */
const ending = new Set("reset clear stop close end quit flush".split(" "));

/** Rank of tools that end what others work on. */
const endingRank = 3;

/**
 * Rank of a tool among others: what only reads comes first, then what makes something, then the rest before what ends it;
 * what is dangerous comes last.
 */
function rankOf(tool: ToolDefinition): number {
  if (isReadOnly(tool)) return 0;
  if (hazardOf(tool) !== undefined) return 4;
  const words = textWords(tool.name);
  if (words.some((word) => ending.has(word))) return endingRank;
  return words.some((word) => making.has(word)) ? 1 : 2;
}

export const isReadOnly = ({ annotations }: ToolDefinition): boolean => annotations?.readOnlyHint === true;

/** True for a tool that ends or destroys what others work on. */
export const leavesNothing = (tool: ToolDefinition): boolean => rankOf(tool) >= endingRank;

/** Tools with a name, each name once; what else a list holds is the business of the `tools_list` check. */
export function readableTools(
  tools: readonly ToolDefinition[],
  { tools: wanted }: GenerateOptions,
): ToolDefinition[] {
  const seen = new Set<string>();
  return tools.filter((tool) => isObject(tool) && typeof tool.name === "string" && tool.name !== "")
    .filter(({ name }) => !seen.has(name) && seen.add(name))
    .filter(({ name }) => wanted?.includes(name) ?? true);
}

/** Tools that get no tests, and why. */
export const excludedTools = (
  tools: readonly ToolDefinition[],
  options: GenerateRequest,
): GeneratedTests["heldBack"] =>
  options.includeHeldBack === true ? [] : readableTools(tools, options).flatMap((tool) => {
    const reason = exclusionReason(tool, decidingPlace(options));
    return reason === undefined ? [] : [{ tool: tool.name, reason }];
  });

/** Tools that generated tests may call, in the order in which they are called. */
export function callableTools(tools: readonly ToolDefinition[], options: GenerateRequest): ToolDefinition[] {
  const held = new Set(excludedTools(tools, options).map(({ tool }) => tool));
  const callable = readableTools(tools, options).filter(({ name }) => !held.has(name));
  return callable.sort((a, b) => rankOf(a) - rankOf(b));
}
