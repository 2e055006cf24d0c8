/** JSON-RPC lines over the pipes of a process. */
import { PthError } from "../core/errors.ts";
import { createLineSplitter, longestMessage } from "../platform/line_splitter.ts";
import type { EnvironmentProcess } from "../runtimes/runtime.ts";
import { jsonExcess } from "./json_gauge.ts";
import { isLikelyRpc } from "./rpc_message.ts";
import type { MessageListener, MessageTransport } from "./message_transport.ts";

/** Passes a line on as a message, or each message of a batch, or as stray output. */
function deliver(line: string, bytes: number, listener: MessageListener): void {
  if (line.trim() === "") return;
  const excess = jsonExcess(line);
  if (excess !== undefined) return listener.broken(unreadable(excess));
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // Not swallowed: a line that is no JSON is reported as stray output.
    return listener.stray(line);
  }
  if (Array.isArray(value) && value.length > 0 && value.every(isLikelyRpc)) {
    for (const message of value) listener.message(message, bytes / value.length);
  } else if (isLikelyRpc(value)) listener.message(value, bytes);
  else listener.stray(line);
}

const unreadable = (why: string): PthError =>
  new PthError("PROTOCOL_VIOLATION", `Cannot read the server's answer: ${why}`);

export function createStdioTransport(
  process: Pick<EnvironmentProcess, "stdin" | "stdout">,
  maxBytes: number = longestMessage,
): MessageTransport {
  return {
    start(listener) {
      const lines = createLineSplitter({
        maxBytes,
        onLine: (line, bytes) => deliver(line, bytes, listener),
        onOverlong: () => listener.broken(unreadable(`one line exceeds ${maxBytes} bytes`)),
      });
      process.stdout.on("data", (chunk: Uint8Array) => lines.push(chunk));
      process.stdout.on("end", () => lines.end());
      // A broken pipe is told by the end of the process; unheard, the event would end PTH.
      process.stdin.on("error", () => process.stdin.destroy());
      return Promise.resolve();
    },
    send(_message, text) {
      if (process.stdin.writable) process.stdin.write(`${text}\n`);
    },
    agreed() {},
    cancelsBySignal: false,
    close: () => Promise.resolve(),
  };
}
