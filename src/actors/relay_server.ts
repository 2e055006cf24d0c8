/** Operation `relay`: a client speaks to an instance of the plugin's server of its own, byte for byte, and PTH listens. */
import { type Readable } from "node:stream";
import type { Buffer } from "node:buffer";
import { PthError } from "../errors.ts";
import { createLineSplitter } from "../platform/line_splitter.ts";
import type { EnvironmentProcess } from "../runtimes/runtime.ts";
import { isObject } from "../values.ts";
import { endInstance } from "./end_instance.ts";
import type { LiveSession } from "./live_session.ts";
import { spawnServer } from "./open_connection.ts";

/** The client's side. */
export interface RelayEnds {
  /** Lines for the server; its end is the end of the relay. */
  input: Readable;
  /** Lines of the server, as they are. */
  output: (line: string) => void;
  /** Each JSON-RPC message, without secrets. */
  hear: (from: "client" | "server", message: Record<string, unknown>) => void;
}

export interface RelayEnd {
  exitCode: number | null;
  signal: string | null;
  /** Last of what the server wrote on stderr. */
  stderrTail: string;
  /** The client closed its side first. */
  byClient: boolean;
}

const longestLine = 64 * 1024 * 1024;
const stderrKept = 16 * 1024;
/** How long a server has to end after its stdin was closed, and then after SIGTERM; in ms. */
const graceMs = 2000;

/** @throws {PthError} `UNSUPPORTED` for servers on HTTP, what starting it fails with */
export async function relayServer(
  live: LiveSession,
  ends: RelayEnds,
  signal: AbortSignal,
): Promise<RelayEnd> {
  const { server } = live.requirePlan();
  if (server.type !== "stdio") {
    throw new PthError(
      "UNSUPPORTED",
      "Cannot relay: the server speaks HTTP, and a relay is for servers on stdio",
    );
  }
  const environment = live.requireEnvironment();
  const id = `relay-${++live.relays}`;
  const child = await spawnServer(live, environment, server, id);
  try {
    return await relay(child, ends, live, signal);
  } finally {
    await endInstance(environment, `${live.sessionId}/${id}`);
  }
}

async function relay(
  child: EnvironmentProcess,
  { input, output, hear }: RelayEnds,
  live: LiveSession,
  signal: AbortSignal,
): Promise<RelayEnd> {
  const noted = (from: "client" | "server", pass: (line: string) => void) =>
    createLineSplitter({
      maxBytes: longestLine,
      onLine: (line) => {
        const message = parse(line);
        if (message) hear(from, live.redact.value(message));
        pass(line);
      },
      onOverlong: () =>
        live.messages("relay")(`a line of the ${from} is longer than 64 MiB and was left out`),
    });
  const toServer = noted("client", (line) => child.stdin.write(`${line}\n`));
  const toClient = noted("server", output);
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => stderr = (stderr + chunk).slice(-stderrKept));
  child.stdout.on("data", (chunk: Buffer) => toClient.push(chunk));
  child.stdout.on("end", () => toClient.end());
  // A server that is gone reads no more; how it ended is told below.
  child.stdin.on("error", () => {});
  let byClient = false;
  const closed = new Promise<void>((resolve) => {
    input.on("data", (chunk: Buffer) => toServer.push(chunk));
    for (const event of ["end", "close", "error"]) input.once(event, () => resolve());
    signal.addEventListener("abort", () => resolve(), { once: true });
  }).then(() => void (byClient = true));
  await Promise.race([closed, child.exited]);
  const first = byClient;
  child.stdin.end();
  for (const next of ["SIGTERM", "SIGKILL"] as const) {
    const ended = await Promise.race([child.exited.then(() => true), pause(graceMs).then(() => false)]);
    if (ended) break;
    await child.kill(next);
  }
  const { code, signal: endedBy } = await child.exited;
  return { exitCode: code, signal: endedBy, stderrTail: live.redact.text(stderr), byClient: first };
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** What is no message is passed on all the same. */
function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(line) as unknown;
    return isObject(value) && value.jsonrpc === "2.0" ? value : undefined;
  } catch {
    return undefined;
  }
}
