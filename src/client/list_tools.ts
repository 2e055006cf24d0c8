/** All pages of `tools/list`, within limits, checked for nothing but being a list of named tools. */
import { count, truncate } from "../core/text.ts";
import type { ToolDefinition } from "../../machines/model/plugin.ts";
import { PthError } from "../core/errors.ts";
import { isObject } from "../core/values.ts";
import type { Peer } from "./rpc_peer.ts";

/** Limits of all pages together. */
interface ListLimits {
  pages: number;
  tools: number;
  bytes: number;
}
const usual: ListLimits = { pages: 1000, tools: 20_000, bytes: 64 * 1024 * 1024 };

/**
 * `timeoutMs` is the limit of all pages together.
 * @throws {PthError} `PROTOCOL_VIOLATION`, `SERVER_LOST`, `SERVER_SILENT`
 */
export async function listTools(
  peer: Pick<Peer, "request">,
  timeoutMs: number,
  limits: ListLimits = usual,
): Promise<ToolDefinition[]> {
  const end = performance.now() + timeoutMs;
  const tools: ToolDefinition[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  let cursor: string | undefined;
  do {
    const answer = await peer.request("tools/list", cursor === undefined ? {} : { cursor }, {
      action: "list tools",
      timeoutMs: Math.max(1, end - performance.now()),
    }).catch((error) =>
      Promise.reject(seen.size > 0 && isSilence(error) ? tooSlow(seen.size, timeoutMs) : error)
    );
    if (answer.error) {
      throw violation(`the server answered: ${truncate(answer.error.message, 300)}`, answer.raw);
    }
    const { tools: page, nextCursor } = isObject(answer.result) ? answer.result : {};
    if (!Array.isArray(page)) throw violation(`"tools" is not an array`, answer.raw);
    for (const [index, tool] of page.entries()) tools.push(checked(tool, index, answer.raw));
    bytes += answer.bytes ?? 0;
    cursor = typeof nextCursor === "string" && nextCursor !== "" ? nextCursor : undefined;
    const last = cursor === undefined;
    if (tools.length > limits.tools) throw tooMuch(`over ${limits.tools} tools`);
    if (bytes > limits.bytes) throw tooMuch(`its pages have over ${limits.bytes} bytes together`);
    if (last) return tools;
    if (seen.has(cursor!)) {
      throw violation(
        `the pages never end: cursor ${truncate(JSON.stringify(cursor), 300)} came again`,
        answer.raw,
      );
    }
    seen.add(cursor!);
    if (seen.size >= limits.pages) throw tooMuch(`the pages never end: there are over ${limits.pages}`);
    if (performance.now() >= end) throw tooSlow(seen.size, timeoutMs);
  } while (true);
}

const isSilence = (error: unknown): boolean => error instanceof PthError && error.code === "SERVER_SILENT";

const tooSlow = (pages: number, timeoutMs: number): PthError =>
  new PthError(
    "SERVER_SILENT",
    `Cannot list tools: ${count(pages, "page")} so far, and more than ${
      Math.round(timeoutMs / 100) / 10
    } s for all`,
  );

const tooMuch = (state: string): PthError => violation(state);

/** Limit on a tool's name, which is in all messages about it; clients accept 64 to 128 characters. */
const longestName = 1000;

function checked(tool: unknown, index: number, raw: unknown): ToolDefinition {
  if (!isObject(tool) || typeof tool.name !== "string") throw violation(`tool ${index} has no name`, raw);
  if (tool.name.length > longestName) {
    throw violation(`the name of tool ${index} has ${tool.name.length} characters, over ${longestName}`);
  }
  return tool as ToolDefinition;
}

const longestOutput = 20_000;

const violation = (state: string, raw?: unknown): PthError =>
  new PthError("PROTOCOL_VIOLATION", `Cannot list tools: ${state}`, {
    ...(raw === undefined ? {} : { output: JSON.stringify(raw).slice(0, longestOutput) }),
    next: ["Correct what the server answers to tools/list"],
  });
