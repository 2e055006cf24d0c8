/** JSON-RPC messages, as far as the transport has to tell them apart before the MCP library is loaded. */
import { isObject } from "../core/values.ts";

export type RequestId = string | number;

export interface JsonRpcMessage {
  jsonrpc: "2.0";
  id?: RequestId;
  method?: string;
  params?: Record<string, unknown>;
  [member: string]: unknown;
}

export const isMessage = (value: unknown): value is JsonRpcMessage =>
  isObject(value) && value["jsonrpc"] === "2.0";

/** The message as a log may tell it: what a caller hands over as a secret is left out. */
export const redactedMessage = (message: JsonRpcMessage): unknown =>
  JSON.parse(JSON.stringify(message, (key, value) => key === "configValues" ? "[REDACTED]" : value));

/** The id of a request that awaits an answer. */
export const requestId = (message: JsonRpcMessage): RequestId | undefined =>
  message.method === undefined ? undefined : message.id;

/** The id of the request that this message answers. */
export const answeredId = (message: JsonRpcMessage): RequestId | undefined =>
  message.method === undefined ? message.id : undefined;

/** The id of the request that this notification withdraws. */
export const cancelledId = (message: JsonRpcMessage): RequestId | undefined =>
  message.method === "notifications/cancelled" ? message.params?.["requestId"] as RequestId : undefined;
