/** Connections to MCP servers on stdio. */
import { PthError } from "../core/errors.ts";
import type { EnvironmentProcess } from "../runtimes/runtime.ts";
import type { Connection } from "./connection.ts";
import { type ConnectionOptions, makeConnection } from "./make_connection.ts";
import { followProcess } from "./server_process.ts";
import { createStdioTransport } from "./stdio_transport.ts";

export interface StdioConnectionOptions extends ConnectionOptions {
  process: EnvironmentProcess;
  /** Starts the server anew; used once, for servers that die at a request that they do not know before `initialize`. */
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
      end: (graceMs) => followed.end(graceMs, "eof"),
    }, options);
  } catch (error) {
    await followed.end(200, "eof");
    await options.afterExit?.();
    throw error;
  }
}
