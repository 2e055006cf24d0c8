/** Operation `relay`: a client speaks to an instance of the plugin's server of its own, byte for byte, and PTH listens. */
import type { RelayEnds } from "../../api/requests.ts";
import type { Buffer } from "node:buffer";
import { PthError } from "../../core/errors.ts";
import { followProcess } from "../../client/server_process.ts";
import { createLineSplitter, longestMessage } from "../../platform/line_splitter.ts";
import { untilClosed } from "../../platform/streams.ts";
import type { EnvironmentProcess } from "../../runtimes/runtime.ts";
import { isObject } from "../../core/values.ts";
import { endInstance } from "./end_instance.ts";
import type { SessionResources } from "../session_resources.ts";
import { spawnServer } from "./open_connection.ts";
import type { RelayEnd } from "../../../machines/model/environment_operations.ts";

/** Time that a server has to end after its stdin was closed, in ms. */
const graceMs = 2000;

/** @throws {PthError} `UNSUPPORTED` for servers on HTTP, what starting it fails with */
export async function relayServer(
  live: SessionResources,
  ends: RelayEnds,
  signal: AbortSignal,
): Promise<RelayEnd> {
  const { server } = live.plugin.requirePlan();
  if (server.type !== "stdio") {
    throw new PthError(
      "UNSUPPORTED",
      "Cannot relay: the server speaks HTTP, and a relay is for servers on stdio",
    );
  }
  const environment = live.environment.require();
  const id = live.connections.nextRelay();
  const child = await spawnServer(live, environment, server, id);
  try {
    return await relay(child, ends, live, signal);
  } finally {
    const group = child.pid === undefined ? {} : { group: child.pid };
    await endInstance(environment, `${live.sessionId}/${id}`)({ judged: false, ...group });
  }
}

async function relay(
  child: EnvironmentProcess,
  { input, output, hear }: RelayEnds,
  live: SessionResources,
  signal: AbortSignal,
): Promise<RelayEnd> {
  const noted = (from: "client" | "server", pass: (line: string) => void) =>
    createLineSplitter({
      maxBytes: longestMessage,
      onLine: (line) => {
        const message = parse(line);
        if (message) hear(from, live.secrets.redact.value(message));
        pass(line);
      },
      onOverlong: () =>
        live.progress.messages("relay")(`a line of the ${from} is longer than 64 MiB and was left out`),
    });
  const toServer = noted("client", (line) => child.stdin.write(`${line}\n`));
  const toClient = noted("server", output);
  const server = followProcess(child, false);
  child.stdout.on("data", (chunk: Buffer) => toClient.push(chunk));
  child.stdout.on("end", () => toClient.end());
  // A server that is gone reads no more; how it ended is told below.
  child.stdin.on("error", () => {});
  input.on("data", (chunk: Buffer) => toServer.push(chunk));
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const closed = Promise.race([untilClosed(input), aborted]).then(() => true);
  const byClient = await Promise.race([closed, server.gone.then(() => false)]);
  await server.end(graceMs, "eof");
  const { exitCode, signal: endedBy, stderrTail } = await server.gone;
  return { exitCode, signal: endedBy, stderrTail: live.secrets.redact.text(stderrTail), byClient };
}

/** Parses a line as a message; undefined for any other line, which is passed on unchanged. */
function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(line) as unknown;
    return isObject(value) && value.jsonrpc === "2.0" ? value : undefined;
  } catch {
    return undefined;
  }
}
