/** The requests of a recording, each with its answer and what the server said in between. */
import { isObject } from "../core/values.ts";
import type { RecordedMessage } from "./read_traffic_recording.ts";

type Message = Record<string, unknown>;

export interface RecordedRequest {
  method: string;
  params: Record<string, unknown>;
  /** The client's message as it was. */
  request: Message;
  /** Response as it came; absent for a request that was never answered. */
  answer?: Message;
  /** Notifications and requests of the server between the two, in order. */
  meanwhile: Message[];
}

/** In the order in which the client asked. */
export function requestsOf(messages: readonly RecordedMessage[]): RecordedRequest[] {
  const requests: RecordedRequest[] = [];
  const open = new Map<unknown, RecordedRequest>();
  for (const { from, message } of messages) {
    if (from === "client") {
      if (typeof message.method !== "string" || message.id === undefined) continue;
      const params = isObject(message.params) ? message.params : {};
      const request = { method: message.method, params, request: message, meanwhile: [] };
      requests.push(request);
      open.set(message.id, request);
    } else if (typeof message.method === "string") {
      for (const request of open.values()) request.meanwhile.push(message);
    } else {
      const request = open.get(message.id);
      open.delete(message.id);
      if (request) request.answer = message;
    }
  }
  return requests;
}

/** The client's answers to what the server asked, by method, in order. */
export function repliesOf(messages: readonly RecordedMessage[]): Map<string, Message[]> {
  const methods = new Map<unknown, string>();
  const replies = new Map<string, Message[]>();
  for (const { from, message } of messages) {
    if (from === "server" && typeof message.method === "string" && message.id !== undefined) {
      methods.set(message.id, message.method);
    } else if (from === "client" && message.method === undefined) {
      const method = methods.get(message.id);
      if (method !== undefined) replies.set(method, [...replies.get(method) ?? [], message]);
    }
  }
  return replies;
}

/** Parameters without what differs from call to call for reasons of the protocol. */
export function ownParams({ _meta, ...params }: Record<string, unknown>): Record<string, unknown> {
  return params;
}

/** The same for equal values, whatever the order of their keys. */
export function canonicalParams(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, item: unknown) =>
      isObject(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => a < b ? -1 : 1)) : item,
  ) ?? "";
}
