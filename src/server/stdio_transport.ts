/**
 * MCP over stdin and stdout that is there before the MCP library is.
 *
 * Listens from its creation on, has the front desk answer what that can, and keeps the rest until the library is
 * connected. The library gets `initialize` too, though it is answered; its own answer to that one is dropped.
 */
import type { Readable, Writable } from "node:stream";
import type { Buffer } from "node:buffer";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types";
import { createLineSplitter, longestMessage } from "../platform/line_splitter.ts";
import { log } from "../platform/log.ts";
import { untilClosed } from "../platform/streams.ts";
import type { SessionFrontend } from "./session_frontend.ts";
import {
  answeredId,
  cancelledId,
  isMessage,
  type JsonRpcMessage,
  redactedMessage,
  type RequestId,
  requestId,
} from "./json_rpc_message.ts";

interface StdioParts {
  input: Readable;
  output: Writable;
  desk: Pick<SessionFrontend, "answer" | "answered">;
}

export class StdioTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  /** Resolves with the first message that the front desk does not answer, notifications aside. */
  readonly libraryNeeded: Promise<void>;
  /** Resolves when the other side has closed its end, or can no longer be written to. */
  readonly hungUp: Promise<void>;
  /** The reason that made answers impossible, where it was not the other side's end: a full disk behind stdout. */
  unwritable: Error | undefined;

  readonly #parts: StdioParts;
  readonly #read: (chunk: Buffer) => void;
  readonly #unanswered = new Set<RequestId>();
  #waiting: JsonRpcMessage[] | undefined = [];
  #greeted: RequestId | undefined;
  #needLibrary: () => void = () => {};
  #quiet: () => void = () => {};
  #unread: () => void = () => {};

  constructor(parts: StdioParts) {
    this.#parts = parts;
    this.libraryNeeded = new Promise((resolve) => this.#needLibrary = resolve);
    const lines = createLineSplitter({
      maxBytes: longestMessage,
      onLine: (line) => this.#receive(line),
      onOverlong: () => log.error("Cannot read message: a line is longer than 64 MiB"),
    });
    this.#read = (chunk) => lines.push(chunk);
    const { input, output } = parts;
    const unread = new Promise<void>((resolve) => this.#unread = resolve);
    output.on("error", (error) => this.#failed(error));
    this.hungUp = Promise.race([untilClosed(input), unread]);
    input.on("data", this.#read);
  }

  /** The library is ready: it gets what has come so far. */
  start(): Promise<void> {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const message of waiting) this.#deliver(message);
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const answered = answeredId(message as JsonRpcMessage);
    if (answered !== undefined && answered === this.#greeted) {
      this.#greeted = undefined;
      return Promise.resolve();
    }
    return this.#write(message as JsonRpcMessage);
  }

  close(): Promise<void> {
    this.#parts.input.off("data", this.#read);
    this.#parts.input.pause();
    this.onclose?.();
    return Promise.resolve();
  }

  /** Resolves when every request has its answer, at the latest after so many milliseconds. */
  async settled(milliseconds: number): Promise<void> {
    if (this.#unanswered.size === 0) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#quiet = resolve;
      timer = setTimeout(resolve, milliseconds);
    });
    clearTimeout(timer);
  }

  #receive(line: string): void {
    const message = line.trim() === "" ? undefined : parse(line);
    if (message === undefined) return;
    if (log.enabled("trace")) log.trace("received", { rpc: redactedMessage(message) });
    const id = requestId(message);
    if (id !== undefined) this.#unanswered.add(id);
    const cancelled = cancelledId(message);
    if (cancelled !== undefined) this.#answered(cancelled);
    const answer = this.#parts.desk.answer(message);
    if (answer !== undefined) {
      void this.#reply(message, answer);
      // The library goes on from there; it has to have seen this one.
      if (message.method !== "initialize") return;
      this.#greeted = id;
    } else if (id !== undefined) this.#needLibrary();
    if (this.#waiting === undefined) this.#deliver(message);
    else this.#waiting.push(message);
  }

  async #reply(request: JsonRpcMessage, answer: Promise<JsonRpcMessage>): Promise<void> {
    try {
      await this.#write(await answer);
      this.#parts.desk.answered(request);
    } catch (error) {
      log.error("Cannot answer a request", { method: request.method, error });
      const { message } = error as Error;
      await this.#write({ jsonrpc: "2.0", id: request.id!, error: { code: -32603, message } });
    }
  }

  #deliver(message: JsonRpcMessage): void {
    this.onmessage?.(message as JSONRPCMessage);
  }

  #answered(id: RequestId): void {
    this.#unanswered.delete(id);
    if (this.#unanswered.size === 0) this.#quiet();
  }

  #write(message: JsonRpcMessage): Promise<void> {
    log.trace("sent", { rpc: message });
    return new Promise((resolve) => {
      const written = () => {
        const id = answeredId(message);
        if (id !== undefined) this.#answered(id);
        resolve();
      };
      try {
        this.#parts.output.write(`${JSON.stringify(message)}\n`, written);
      } catch (error) {
        // Deno throws for a file what is an "error" of the stream elsewhere.
        this.#failed(error as Error);
        written();
      }
    });
  }

  /** Ends the server, since answers can no longer be sent: a host that died leaves a pipe without a reader. */
  #failed(error: Error & { code?: string }): void {
    if (error.code !== "EPIPE" && error.code !== "ERR_STREAM_DESTROYED") this.unwritable ??= error;
    this.#unread();
  }
}

function parse(line: string): JsonRpcMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (isMessage(value)) return value;
    log.error("Cannot read message: no JSON-RPC 2.0", { line: line.slice(0, 200) });
  } catch (error) {
    log.error(`Cannot read message: ${(error as Error).message}`, { line: line.slice(0, 200) });
  }
  return undefined;
}
