/** Classifies and checks received JSON-RPC 2.0 messages, none of which is trusted. */
import { isObject } from "../core/values.ts";
import type { PthError } from "../core/errors.ts";

interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

interface RpcRequest {
  jsonrpc: "2.0";
  id: number;
  method: string;
  params?: Record<string, unknown>;
}

interface RpcNotification {
  jsonrpc: "2.0";
  method: string;
  params?: Record<string, unknown>;
}

interface RpcResponse {
  jsonrpc: "2.0";
  id: unknown;
  result?: unknown;
  error?: RpcError;
}

export type RpcMessage = RpcRequest | RpcNotification | RpcResponse;

export type JsonObject = Record<string, unknown>;

/** True for what was meant as JSON-RPC, well-formed or not; a JSON log line is not. */
export const isLikelyRpc = (value: unknown): boolean =>
  isObject(value) && ("jsonrpc" in value || ("id" in value && ("result" in value || "error" in value)));

/** An answer, judged: what of it can be used, and how it breaks JSON-RPC. */
export interface JudgedAnswer {
  result?: unknown;
  error?: RpcError;
  problems: string[];
}

/** Judges an answer; with problems there may be neither a result nor an error. */
export function judgeAnswer(message: JsonObject): JudgedAnswer {
  const problems: string[] = [];
  if (message.jsonrpc !== "2.0") problems.push(`"jsonrpc" is ${JSON.stringify(message.jsonrpc)}, not "2.0"`);
  if (typeof message.id === "string") {
    problems.push(`the id came back as a string: ${JSON.stringify(message.id)}`);
  }
  const hasError = "error" in message && message.error !== null && message.error !== undefined;
  const hasResult = "result" in message && message.result !== undefined;
  if (hasError && hasResult) problems.push("the answer has both a result and an error");
  if (!hasError && !hasResult) problems.push("the answer has neither a result nor an error");
  if (!hasError) return hasResult ? { result: message.result, problems } : { problems };
  return { error: readError(message.error, problems), problems };
}

function readError(error: unknown, problems: string[]): RpcError {
  if (!isObject(error)) {
    problems.push("the error is not an object");
    return { code: 0, message: String(error) };
  }
  if (!Number.isInteger(error.code)) problems.push("the error has no integer code");
  if (typeof error.message !== "string") problems.push("the error has no message");
  return {
    code: typeof error.code === "number" ? error.code : 0,
    message: typeof error.message === "string" ? error.message : JSON.stringify(error),
    ...(error.data === undefined ? {} : { data: error.data }),
  };
}

export interface MessageListener {
  /** A message as it came, and its size in bytes. */
  message(message: unknown, bytes: number): void;
  /** Output that is no message. */
  stray(line: string): void;
  /** Reports an answer to this request that is no JSON-RPC message: how it violates the protocol, and its content. */
  unusable(id: number, problem: string, raw: unknown): void;
  /** Fails every pending request with this error; the transport stays open. */
  broken(error: PthError): void;
}

export interface MessageTransport {
  /** Begins to deliver messages. @throws {PthError} `START_FAILED` where there is nothing to talk to */
  start(listener: MessageListener): Promise<void>;
  /**
   * Sends one message, given also as its JSON text; never throws: errors are reported to the listener.
   * `signal` gives up a request whose answer is no longer wanted.
   */
  send(message: RpcMessage, text: string, signal?: AbortSignal): void;
  /** The revision that was agreed on (HTTP repeats it in a header). */
  agreed(protocolVersion: string): void;
  /** True when giving up a request by its signal is how it is cancelled (2026-07-28 over HTTP). */
  readonly cancelsBySignal: boolean;
  close(): Promise<void>;
}
