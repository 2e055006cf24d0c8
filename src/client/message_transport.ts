/** What carries JSON-RPC messages to a server and back: stdio or HTTP. It knows bytes and messages, no methods. */
import type { PthError } from "../core/errors.ts";
import type { RpcMessage } from "./rpc_message.ts";

export interface MessageListener {
  /** A message as it came, and its size in bytes. */
  message(message: unknown, bytes: number): void;
  /** Output that is no message. */
  stray(line: string): void;
  /** What came in answer to this request is no JSON-RPC: how it breaks the protocol, and what it is. */
  unusable(id: number, problem: string, raw: unknown): void;
  /** Whatever is awaited fails with this error; the wire itself goes on. */
  broken(error: PthError): void;
}

export interface MessageTransport {
  /** Begins to deliver messages. @throws {PthError} `START_FAILED` where there is nothing to talk to */
  start(listener: MessageListener): Promise<void>;
  /**
   * Sends one message, given also as its JSON text; never throws, what goes wrong is told to the listener.
   * `signal` gives up a request whose answer is no longer wanted.
   */
  send(message: RpcMessage, text: string, signal?: AbortSignal): void;
  /** The revision that was agreed on (HTTP repeats it in a header). */
  agreed(protocolVersion: string): void;
  /** True when giving up a request by its signal is how it is cancelled (2026-07-28 over HTTP). */
  readonly cancelsBySignal: boolean;
  close(): Promise<void>;
}
