/** A server's whole surface, asked of a living connection: all pages of whatever its capabilities declare. */
import type { ServerSurface } from "../../machines/model/contract.ts";
import type { CallOutcome } from "../../machines/model/plugin.ts";
import type { Connection } from "../client/connection.ts";
import { PthError } from "../core/errors.ts";
import { isObject } from "../core/values.ts";

type Source = Pick<Connection, "server" | "listTools" | "request">;
type Entries = Record<string, unknown>[];

/** JSON-RPC: a server may declare resources and know no templates. */
const methodNotFound = -32601;
/** More pages than this is a cursor that never ends. */
const maxPages = 1000;

/** Deepest nesting that can be written and compared. */
const deepest = 500;

function isDeep(value: unknown, level = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  return level > deepest || Object.values(value).some((part) => isDeep(part, level + 1));
}

/** @throws {PthError} `PROTOCOL_VIOLATION` for an answer that is no list, `SERVER_LOST`, `SERVER_SILENT`; or the signal's reason */
export async function readSurface(connection: Source, signal?: AbortSignal): Promise<ServerSurface> {
  const { name, version, protocolVersion, capabilities, instructions } = connection.server;
  const list = (declared: string, method: string, key: string) =>
    capabilities[declared] === undefined ? [] : allPages(connection, method, key, signal);
  const resources = await list("resources", "resources/list", "resources");
  const resourceTemplates = await list("resources", "resources/templates/list", "resourceTemplates");
  const prompts = await list("prompts", "prompts/list", "prompts");
  const tools = await connection.listTools();
  const deep = tools.find((tool) => isDeep(tool));
  if (deep) {
    throw violation(
      "tools/list",
      `the definition of ${deep.name} has over ${deepest} nested levels`,
    );
  }
  const server = { name, version, protocolVersion, capabilities };
  return {
    server: instructions === undefined ? server : { ...server, instructions },
    tools: byKey(tools, "name"),
    resources: byKey(resources, "uri"),
    resourceTemplates: byKey(resourceTemplates, "uriTemplate"),
    prompts: byKey(prompts, "name"),
  };
}

async function allPages(
  connection: Source,
  method: string,
  key: string,
  signal: AbortSignal | undefined,
): Promise<Entries> {
  const found: Entries = [];
  const seen = new Set<string>();
  const end = performance.now() + patienceMs;
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const { raw, kind, code, text } = await askInTime(connection, method, params, end, signal);
    if (kind === "rpc_error" && code === methodNotFound && method === "resources/templates/list") return [];
    if (kind === "rpc_error") throw violation(method, `the server answered: ${text}`, raw);
    const { [key]: page, nextCursor } = isObject(raw) ? raw : {};
    if (!Array.isArray(page) || !page.every(isObject)) {
      throw violation(method, `"${key}" is no list of objects`, raw);
    }
    found.push(...page);
    cursor = typeof nextCursor === "string" && nextCursor !== "" ? nextCursor : undefined;
    if (cursor !== undefined && (seen.has(cursor) || seen.size >= maxPages)) {
      throw violation(
        method,
        `the pages never end: cursor ${
          JSON.stringify(cursor.slice(0, 200))
        } came again, or there are too many`,
        raw,
      );
    }
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
  return found;
}

/** For all pages of one list, in milliseconds. */
const patienceMs = 30_000;

async function askInTime(
  connection: Source,
  method: string,
  params: Record<string, unknown>,
  end: number,
  signal?: AbortSignal,
): Promise<CallOutcome> {
  const silent = new AbortController();
  const state = `no whole answer to ${method} within ${patienceMs / 1000} s`;
  const timer = setTimeout(
    () => silent.abort(new PthError("SERVER_SILENT", `Cannot read the server's surface: ${state}`)),
    Math.max(0, Math.ceil(end - performance.now())),
  );
  try {
    const either = signal ? AbortSignal.any([signal, silent.signal]) : silent.signal;
    return await connection.request(method, params, { signal: either });
  } finally {
    clearTimeout(timer);
  }
}

/** In the order of names, which no server promises. */
const byKey = <Entry extends Record<string, unknown>>(entries: readonly Entry[], key: string): Entry[] =>
  [...entries].sort((a, b) => {
    const [one, other] = [String(a[key] ?? ""), String(b[key] ?? "")];
    return one < other ? -1 : one > other ? 1 : 0;
  });

/** A server's answer may be of any length. */
const longestOutput = 20_000;

const violation = (method: string, state: string, raw?: unknown): PthError =>
  new PthError("PROTOCOL_VIOLATION", `Cannot read the server's surface: ${method}: ${state}`, {
    ...(raw === undefined ? {} : { output: JSON.stringify(raw).slice(0, longestOutput) }),
    next: [`Correct what the server answers to ${method}`],
  });
