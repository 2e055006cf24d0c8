/** A stream of JSON-RPC messages as calls, each with all that was said until its answer. */
import type { McpCall, McpMessage } from "../../../machines/model/detail.ts";
import { isObject } from "../../core/values.ts";

/**
 * Requests of the client in their order. Notifications and requests of the server belong to the call that waits, or where
 * several do, to the latest one; what comes while none does is a call of its own, with the sequence 0.
 */
export function groupMessagesByCall(messages: readonly McpMessage[]): McpCall[] {
  const calls: McpCall[] = [];
  const waiting = new Map<unknown, McpCall>();
  let sequence = 0;
  for (const each of messages) {
    const { id, method, params } = partsOf(each.message);
    if (each.direction === "sent" && method !== undefined && id !== undefined) {
      const named = method === "tools/call" && isObject(params) && typeof params.name === "string";
      const tool = named ? { tool: params.name as string } : {};
      const call: McpCall = { sequence: ++sequence, method, ...tool, messages: [each] };
      calls.push(call);
      waiting.set(id, call);
      continue;
    }
    const answered = each.direction === "received" && method === undefined ? waiting.get(id) : undefined;
    if (answered) {
      answered.messages.push(each);
      answered.durationMs = each.at - answered.messages[0]!.at;
      waiting.delete(id);
      continue;
    }
    const latest = [...waiting.values()].at(-1);
    if (latest) latest.messages.push(each);
    else calls.push({ sequence: 0, method: "", messages: [each] });
  }
  return calls;
}

function partsOf(message: unknown): { id?: unknown; method?: string; params?: unknown } {
  if (!isObject(message)) return {};
  const { id, method, params } = message;
  return {
    ...(id === undefined || id === null ? {} : { id }),
    ...(typeof method === "string" ? { method } : {}),
    params,
  };
}
