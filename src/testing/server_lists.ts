/** Lists that a server may have: the capability that advertises each, and what each item must have. */
import type { CallOutcome } from "../../machines/model/plugin.ts";
import { modernRevision } from "../client/initialize_connection.ts";
import { asPthError } from "../core/errors.ts";
import { isObject } from "../core/values.ts";
import type { CheckContext } from "./check.ts";

export interface ServerList {
  method: string;
  capability: string;
  /** Member of the result that holds the items. */
  items: string;
  /** Texts that each item must have; the first tells it from the others. */
  texts: readonly [string, ...string[]];
  /** A server that has the capability may do without this list. */
  optional?: true;
}

export const serverLists: readonly ServerList[] = [
  { method: "tools/list", capability: "tools", items: "tools", texts: ["name"] },
  { method: "resources/list", capability: "resources", items: "resources", texts: ["uri", "name"] },
  {
    method: "resources/templates/list",
    capability: "resources",
    items: "resourceTemplates",
    texts: ["uriTemplate", "name"],
    optional: true,
  },
  { method: "prompts/list", capability: "prompts", items: "prompts", texts: ["name"] },
];

/** JSON-RPC error of a method that the receiver does not have. */
export const methodNotFound = -32601;

/** Items of a list's result; undefined where it is no such list. */
export function listItems({ items }: ServerList, result: unknown): unknown[] | undefined {
  const found = isObject(result) ? result[items] : undefined;
  return Array.isArray(found) ? found : undefined;
}

/**
 * Asks; undefined where the server lives and gives no answer, as while it waits for something outside.
 * @throws {PthError} `SERVER_SILENT` where it does not answer a ping either, `SERVER_LOST`
 */
export async function askOrPing(
  { ask, server }: CheckContext,
  method: string,
  params?: Record<string, unknown>,
): Promise<CallOutcome | undefined> {
  try {
    return await ask(method, params);
  } catch (error) {
    if (asPthError(error).code !== "SERVER_SILENT") throw error;
    await pingServer({ ask, server });
    return undefined;
  }
}

/** Asks whether the server lives. @throws {PthError} `SERVER_SILENT`, `SERVER_LOST` */
export const pingServer = ({ ask, server }: Pick<CheckContext, "ask" | "server">): Promise<CallOutcome> =>
  ask(server.protocolVersion === modernRevision ? "server/discover" : "ping");
