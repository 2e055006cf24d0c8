/** Connections to MCP servers on stdio. */
import { PthError } from "../core/errors.ts";
import type { EnvironmentProcess } from "../runtimes/runtime.ts";
import type { Connection } from "./connection.ts";
import { type ConnectionOptions, makeConnection } from "./make_connection.ts";
import { followProcess, groupLeft } from "./server_process.ts";
import { createLineSplitter, longestMessage } from "../platform/line_splitter.ts";
import { jsonExcess } from "./json_gauge.ts";
import { isLikelyRpc, type MessageListener, type MessageTransport } from "./rpc_message.ts";

interface StdioConnectionOptions extends ConnectionOptions {
  process: EnvironmentProcess;
  /** Starts the server a second time: some servers end at a request that comes before `initialize`. */
  restart?: () => Promise<EnvironmentProcess>;
}

/**
 * Connects to a server that was just spawned; a server that cannot be connected to is ended.
 * @throws {PthError} `START_FAILED` (exit code, stderr and stray output in the context), `SERVER_SILENT`, `PROTOCOL_VIOLATION`
 */
export async function openStdioConnection(options: StdioConnectionOptions): Promise<Connection> {
  try {
    return await connect(options.process, options);
  } catch (error) {
    if (!options.restart || !diedAtStart(error) || (options.era ?? "auto") !== "auto") throw error;
    return await connect(await options.restart(), { ...options, era: "legacy" });
  }
}

/** Only a server that ended has an exit code in its error; one that refused has none. */
const diedAtStart = (error: unknown): boolean =>
  error instanceof PthError && error.code === "START_FAILED" && "exitCode" in error.context;

async function connect(process: EnvironmentProcess, options: ConnectionOptions): Promise<Connection> {
  const followed = followProcess(process, true);
  try {
    return await makeConnection({
      wire: createStdioTransport(process),
      pid: followed.pid,
      gone: followed.gone,
      stderrTail: followed.stderrTail,
      inOrder: true,
      end: (graceMs, hurry) => followed.end(graceMs, "eof", hurry),
    }, options);
  } catch (error) {
    const report = await followed.end(200, "eof");
    await options.afterExit?.({ judged: false, ...groupLeft(report, followed.pid) });
    throw error;
  }
}

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
      // The end of the process reports a broken pipe; without a listener the event would end PTH.
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
