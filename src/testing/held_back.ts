/** Tools that no generated test calls unless it is asked for. */
import type { ToolDefinition } from "../../machines/model/plugin.ts";
import { words } from "./json_schema/words.ts";

/** Words of a tool's name that say it destroys, or acts on the world outside. */
const alarming = new Set(
  ("delete del remove rm drop destroy purge wipe erase kill terminate shutdown reboot halt poweroff uninstall " +
    "send publish deploy pay purchase transfer revoke").split(" "),
);

/** Why a tool is held back, or undefined. Hints that a tool does not give say nothing. */
export function heldBackReason({ name, annotations = {} }: ToolDefinition): string | undefined {
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations;
  // MCP gives destructiveHint a meaning only for tools that are not read-only.
  if (destructiveHint === true && readOnlyHint !== true) return "it says destructiveHint: true";
  if (openWorldHint === true) return "it says openWorldHint: true";
  const word = words(name).find((part) => alarming.has(part));
  return word === undefined ? undefined : `its name says "${word}"`;
}
