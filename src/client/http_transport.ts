/** JSON-RPC over streamable HTTP, or over the older HTTP+SSE (2024-11-05). */
import {
  type JSONRPCMessage,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { errorMessage, PthError } from "../core/errors.ts";
import { boundedFetch, ForeignRedirect } from "./bounded_fetch.ts";
import { withDeadline } from "../core/waiting.ts";
import { modernRevision } from "./initialize_connection.ts";
import { isLikelyRpc, type MessageListener, type MessageTransport, type RpcMessage } from "./rpc_message.ts";
import { isObject } from "../core/values.ts";

export interface HttpTransportOptions {
  kind: "streamable" | "sse";
  url: URL;
  headers: Record<string, string>;
  /** Limit for opening the stream of the older transport. */
  timeoutMs: number;
}

export interface HttpTransport extends MessageTransport {
  /** Resolves, with the reason, once the server could not be reached. */
  readonly unreachable: Promise<string>;
}

/** A server that dies ends its answers first: its exit code is the better news and gets this long to arrive. */
const newsDelayMs = 500;
const farewellMs = 1000;

export function createHttpTransport({ kind, url, headers, timeoutMs }: HttpTransportOptions): HttpTransport {
  const options = { requestInit: { headers }, fetch: boundedFetch };
  const transport = kind === "sse"
    ? new SSEClientTransport(url, options)
    : new StreamableHTTPClientTransport(url, options);
  let listener: MessageListener;
  let modern = false;
  let tellUnreachable: (reason: string) => void;
  const unreachable = new Promise<string>((resolve) => tellUnreachable = resolve);

  const failed = (message: RpcMessage, error: unknown): void => {
    const reason = errorMessage(error);
    // fetch rejects with a TypeError where there was no HTTP answer at all.
    if (error instanceof TypeError) return tellUnreachable(reasonOf(error));
    const answer = error instanceof SdkHttpError ? parsed(error.data.text) : undefined;
    if (answer !== undefined) return listener.message(answer, JSON.stringify(answer).length);
    const id = requestId(message);
    if (id === undefined) return listener.stray(`${url}: ${reason}`);
    if (error instanceof ForeignRedirect) {
      return listener.unusable(id, reason, { httpStatus: error.status, location: error.location });
    }
    const status = error instanceof SdkHttpError ? error.status : undefined;
    const text = error instanceof SdkHttpError ? error.data.text : reason;
    listener.unusable(
      id,
      status === undefined
        ? `the HTTP answer is no JSON-RPC: ${reason}`
        : `HTTP ${status} without a JSON-RPC answer`,
      { httpStatus: status, text },
    );
  };

  return {
    unreachable,
    async start(to) {
      listener = to;
      transport.onmessage = (message: unknown) => to.message(message, JSON.stringify(message).length);
      const cannotOpen = (why: string, cause?: unknown) =>
        new PthError("START_FAILED", `Cannot start plugin: cannot open ${url}: ${why}`, {}, { cause });
      const opened = transport.start().catch((error) => Promise.reject(cannotOpen(reasonOf(error), error)));
      if (!await withDeadline(opened, timeoutMs)) throw cannotOpen(`no event stream within ${timeoutMs} ms`);
    },
    send(message, _text, signal) {
      const id = requestId(message);
      // The older transport takes no options and ignores them.
      const streamable = transport as Pick<StreamableHTTPClientTransport, "send">;
      streamable.send(message as JSONRPCMessage, {
        ...(signal && { requestSignal: signal }),
        onRequestStreamEnd: () => {
          if (id !== undefined) {
            setTimeout(
              () => listener.unusable(id, "the HTTP answer ended without a JSON-RPC answer", null),
              newsDelayMs,
            );
          }
        },
      }).catch((error: unknown) => signal?.aborted || failed(message, error));
    },
    agreed(protocolVersion) {
      modern = protocolVersion === modernRevision;
      // 2026-07-28 takes the header from each message.
      if (!modern) transport.setProtocolVersion(protocolVersion);
    },
    get cancelsBySignal() {
      return modern;
    },
    async close() {
      if ("terminateSession" in transport) {
        // A server that has exited or is slow cannot end its MCP session; that is no error of the test.
        await withDeadline(transport.terminateSession().catch(() => undefined), farewellMs);
      }
      await transport.close();
    },
  };
}

const requestId = (message: RpcMessage): number | undefined =>
  "id" in message && "method" in message ? message.id : undefined;

/** A JSON-RPC answer in the body of an HTTP error. */
function parsed(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isLikelyRpc(value) && isObject(value) && value.id !== null ? value : undefined;
  } catch {
    // No JSON: the text is passed on as it is.
    return undefined;
  }
}

/** fetch hides the reason ("ECONNREFUSED …") in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error
    ? `${error.message}: ${error.cause.message || error.cause.name}`
    : error.message;
}
