/** Connections to MCP servers over HTTP: streamable HTTP, else the older HTTP+SSE. */
import type { ConnectionLoss } from "../../machines/model/plugin.ts";
import { PthError } from "../core/errors.ts";
import { collect } from "../platform/process.ts";
import type { EnvironmentProcess } from "../runtimes/runtime.ts";
import type { Connection } from "./connection.ts";
import type { HttpTransport, HttpTransportOptions } from "./http_transport.ts";
import { type ConnectionOptions, type ConnectionTransport, makeConnection } from "./make_connection.ts";
import { delay, withDeadline } from "../core/waiting.ts";
import { followProcess, groupLeft, type ServerProcess } from "./server_process.ts";

interface HttpConnectionOptions extends ConnectionOptions {
  url: string;
  headers?: Record<string, string>;
  /** The server's process, where PTH started it; it is ended by `close`. */
  process?: EnvironmentProcess;
}

/** Interval in ms between attempts while the server is not listening yet. */
const retryMs = 50;
/** Least time in ms for an attempt after the first: with less, it could only time out. */
const leastMs = 1000;

/**
 * Connects as soon as the server listens; one that cannot be connected to is ended.
 * @throws {PthError} `INVALID_INPUT` for a bad URL, `START_FAILED`, `SERVER_SILENT`, `PROTOCOL_VIOLATION`
 */
export async function openHttpConnection(options: HttpConnectionOptions): Promise<Connection> {
  const server = options.process && followHttpServer(options.process);
  try {
    return await connectWhenListening(parseUrl(options.url), server, options);
  } catch (error) {
    const report = await server?.end(0, "sigterm");
    await options.afterExit?.({ judged: false, ...(report && groupLeft(report, server?.pid)) });
    throw error;
  }
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw new PthError("INVALID_INPUT", `Cannot connect to ${JSON.stringify(text)}: not an http or https URL`, {
    next: ['Give the whole URL, for example "http://127.0.0.1:{port}/mcp"'],
  });
}

/** An HTTP server's stdout is a log: it goes into the tail with stderr. */
function followHttpServer(process: EnvironmentProcess): ServerProcess {
  const stdout = collect(process.stdout, 64 * 1024);
  const server = followProcess(process, false);
  return { ...server, stderrTail: () => stdout.text() + server.stderrTail() };
}

async function connectWhenListening(
  url: URL,
  server: ServerProcess | undefined,
  options: HttpConnectionOptions,
): Promise<Connection> {
  // The HTTP library takes 80 ms to load: servers on stdio go without.
  const { createHttpTransport: createHttpWire } = await import("./http_transport.ts");
  const deadline = performance.now() + options.timeoutMs;
  let kind: HttpTransportOptions["kind"] = "streamable";
  let refused: unknown;
  let foundGone = false;
  for (let attempt = 1;; attempt++) {
    const left = deadline - performance.now();
    const timeoutMs = Math.max(attempt === 1 ? 1 : Math.min(leastMs, options.timeoutMs), Math.round(left));
    const wire = createHttpWire({ kind, url, headers: options.headers ?? {}, timeoutMs });
    let unreached = false;
    let connected = false;
    wire.unreachable.then(() => unreached = true);
    try {
      const transport = transportOver(wire, url, server, () => connected);
      const connection = await makeConnection(transport, { ...options, timeoutMs });
      connected = true;
      return connection;
    } catch (error) {
      await wire.close();
      options.signal?.throwIfAborted();
      if (kind === "streamable" && wantsOldTransport(error)) {
        kind = "sse";
        refused = error;
      } else if (kind === "sse" && !unreached && error instanceof PthError && error.code === "START_FAILED") {
        throw refused;
      } else if (!unreached || left <= retryMs || foundGone) {
        throw error;
      } else {
        // A process that ended during the attempt is checked once more: the error then has its exit code.
        foundGone = await isGone(server);
        if (!foundGone) await delay(retryMs);
      }
    }
  }
}

const isGone = async (server: ServerProcess | undefined): Promise<boolean> =>
  server !== undefined && await withDeadline(server.gone, 0);

/** A server of 2024-11-05 refuses the POST to its SSE address. */
function wantsOldTransport(error: unknown): boolean {
  const status = error instanceof PthError ? error.context.httpStatus : undefined;
  return typeof status === "number" && [400, 404, 405].includes(status);
}

function transportOver(
  wire: HttpTransport,
  url: URL,
  server: ServerProcess | undefined,
  connected: () => boolean,
): ConnectionTransport {
  const unreachable = wire.unreachable.then(async (reason): Promise<ConnectionLoss> => {
    // The exit code of a server that just died is the better news: it wins the race below.
    if (server && connected()) await withDeadline(server.gone, 500);
    return {
      reason: "closed",
      exitCode: null,
      signal: null,
      stderrTail: server?.stderrTail() ?? "",
      message: `cannot reach ${url}: ${reason}`,
    };
  });
  return {
    wire,
    pid: server?.pid,
    gone: server ? Promise.race([server.gone, unreachable]) : unreachable,
    stderrTail: () => server?.stderrTail() ?? "",
    inOrder: false,
    async end(graceMs, hurry) {
      const started = performance.now();
      await wire.close();
      if (server) return await server.end(graceMs, "sigterm", hurry);
      const waitedMs = Math.round(performance.now() - started);
      return { how: "disconnected", waitedMs, exitCode: null };
    },
  };
}
