/** All pages of `tools/list`, checked for nothing but being a list of named tools. */
import type { ToolDefinition } from "../../machines/model/plugin.ts";
import { PthError } from "../errors.ts";
import { isObject } from "../values.ts";
import type { Peer } from "./rpc_peer.ts";

/** More pages than this is a cursor that never ends. */
const maxPages = 1000;

/** @throws {PthError} `PROTOCOL_VIOLATION`, `SERVER_LOST`, `SERVER_SILENT` */
export async function listTools(peer: Peer, timeoutMs: number): Promise<ToolDefinition[]> {
  const tools: ToolDefinition[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const answer = await peer.request("tools/list", cursor === undefined ? {} : { cursor }, {
      action: "list tools",
      timeoutMs,
    });
    if (answer.error) throw violation(`the server answered: ${answer.error.message}`, answer.raw);
    const { tools: page, nextCursor } = isObject(answer.result) ? answer.result : {};
    if (!Array.isArray(page)) throw violation(`"tools" is not an array`, answer.raw);
    tools.push(...page.map((tool, index) => checked(tool, index, answer.raw)));
    cursor = typeof nextCursor === "string" && nextCursor !== "" ? nextCursor : undefined;
    if (cursor !== undefined && (seen.has(cursor) || seen.size >= maxPages)) {
      throw violation(`the pages never end: cursor ${JSON.stringify(cursor)} came again`, answer.raw);
    }
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
  return tools;
}

function checked(tool: unknown, index: number, raw: unknown): ToolDefinition {
  if (!isObject(tool) || typeof tool.name !== "string") throw violation(`tool ${index} has no name`, raw);
  return tool as ToolDefinition;
}

const violation = (state: string, raw: unknown): PthError =>
  new PthError("PROTOCOL_VIOLATION", `Cannot list tools: ${state}`, {
    output: JSON.stringify(raw),
    next: ["Correct what the server answers to tools/list"],
  });
