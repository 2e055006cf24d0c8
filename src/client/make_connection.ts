/** Makes an initialized `Connection` over a transport: the common part of stdio and HTTP. */
import { delay } from "../core/waiting.ts";
import type {
  ClientCapability,
  CloseReport,
  ConnectionLoss,
  ServerInfo,
  ToolDefinition,
} from "../../machines/model/plugin.ts";
import { PthError } from "../core/errors.ts";
import { log } from "../platform/log.ts";
import { armWatchdog } from "../platform/watchdog.ts";
import { selfVersion } from "../platform/self_version.ts";
import { createCapture, type Exchange } from "./capture.ts";
import {
  type ClientFeatures,
  createClientFeatures,
  type Roots,
  type ServerReply,
} from "./client_features.ts";
import type { Connection, EndLeftBehind, ServerEnd } from "./connection.ts";
import { createIncidentLog, type IncidentLog } from "./incidents.ts";
import { type ClientInfo, type Era, initializeConnection, modernRevision } from "./initialize_connection.ts";
import { listTools } from "./list_tools.ts";
import { defaultGraceMs, groupLeft, type Hurry } from "./server_process.ts";
import { buildOutcome, buildRequestOutcome } from "./outcome.ts";
import { createRpcPeer, type Peer, type PeerRequestOptions, type PeerResponse } from "./rpc_peer.ts";
import type { NextStep } from "../core/next_step.ts";
import { isObject } from "../core/values.ts";
import type { JsonObject, MessageTransport } from "./rpc_message.ts";

export interface ConnectionOptions {
  id: string;
  /** Limit in ms on start and initialization together, and on each `tools/list`. */
  timeoutMs: number;
  clientInfo?: ClientInfo;
  /** False keeps ids and methods of messages only. Default true. */
  capturePayloads?: boolean;
  /** Takes secrets out of what is cut before anybody else sees it: half a secret would not be known as one. */
  hide?: (text: string) => string;
  /** Hears every message once, whole, as it happens. */
  onExchange?: (exchange: Exchange) => void;
  /** Gives up the start: the server is ended and the opening rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Protocol era of the server, if it is known; default `auto`. */
  era?: Era;
  /** Tools that another connection to the same server has listed: their output schemas are checked without listing again. */
  tools?: readonly ToolDefinition[];
  /** Folders offered to the server as roots; without them the client declares no roots, unless `abilities` does. */
  roots?: Roots;
  /** Capabilities that the client declares; default none. */
  abilities?: readonly ClientCapability[];
  /** Command by which a person can see why the server does not start; part of the error of a failed start. */
  byHand?: string;
  /** Called once the server has ended. */
  afterExit?: EndLeftBehind;
}

/** Transport as a connection needs it. */
export interface ConnectionTransport {
  wire: MessageTransport;
  pid: number | undefined;
  gone: Promise<ConnectionLoss>;
  stderrTail: () => string;
  /** Whether messages arrive in the order in which they were sent. */
  inOrder: boolean;
  /** Ends the server, or lets go of it. */
  end: (graceMs: number, hurry?: Hurry) => Promise<Omit<CloseReport, "orphans">>;
}

const maxStrayLines = 100;
const longestStrayLine = 2000;
const self = async (): Promise<ClientInfo> => ({ name: "plugin-test-harness", version: await selfVersion() });

/** Shakes hands. A failure leaves the transport to the caller, who ends it. */
export async function makeConnection(
  transport: ConnectionTransport,
  options: ConnectionOptions,
): Promise<Connection> {
  armWatchdog();
  const { wire } = transport;
  const { hide = (text) => text } = options;
  const stderrTail = () => hide(transport.stderrTail());
  const gone = transport.gone.then((loss) => ({ ...loss, stderrTail: hide(loss.stderrTail) }));
  const stray: string[] = [];
  const incidents = createIncidentLog({ inOrder: transport.inOrder, hide });
  const capture = createCapture({
    payloads: options.capturePayloads ?? true,
    onExchange: hearing(options, incidents),
  });
  const desk: ClientFeatures = createClientFeatures({
    abilities: abilitiesOf(options),
    roots: options.roots ?? [],
    notify: (method) => peer.notify(method),
    onUndeclared: (method) => incidents.add("undeclared-request", method),
  });
  const peer: Peer = await createRpcPeer({
    wire,
    capture,
    onStray: (line) => {
      if (stray.length < maxStrayLines) stray.push(hide(line).slice(0, longestStrayLine));
      incidents.add("stdout-noise", line);
    },
    onServerRequest: (method) => answerServer(method, desk),
    onNotification: desk.hear,
  });
  let closing = false;
  let onLost: (loss: ConnectionLoss) => void;
  const lost = new Promise<ConnectionLoss>((resolve) => onLost = resolve);
  gone.then((loss) => {
    log.debug("server gone", { connection: options.id, closing, ...loss });
    peer.end((action) => lostError(action, loss, stray));
    if (!closing) onLost(loss);
  });
  const server = await initializeConnection(peer, {
    clientInfo: options.clientInfo ?? await self(),
    capabilities: desk.capabilities(),
    timeoutMs: options.timeoutMs,
    era: options.era ?? "auto",
    ...(options.signal && { signal: options.signal }),
    agreed: (protocolVersion) => wire.agreed(protocolVersion),
  }).catch((error) => {
    log.debug("connection failed", { connection: options.id, error });
    return Promise.reject(startError(error, stray, stderrTail(), options.byHand));
  });
  log.debug("connection open", { connection: options.id, pid: transport.pid, server });

  let closed: Promise<ServerEnd> | undefined;
  const close = async (graceMs: number, judged: boolean, hurry?: Hurry): Promise<ServerEnd> => {
    const report = await transport.end(graceMs, hurry);
    log.debug("connection closed", { connection: options.id, ...report });
    peer.end((action) => new PthError("SERVER_LOST", `Cannot ${action}: the connection is closed`));
    const left = await options.afterExit?.({ judged, ...groupLeft(report, transport.pid) });
    return { ...report, orphans: [], survivors: [], ...left };
  };

  return {
    id: options.id,
    server,
    pid: transport.pid,
    lost,
    stderrTail,
    strayOutput: () => [...stray],
    exchanges: () => capture.exchanges(),
    incidents: () => incidents.incidents(),
    client: desk,
    ...requests(peer, server, desk, options),
    close: ({ graceMs = defaultGraceMs, judged = false, hurry } = {}) => {
      closing = true;
      incidents.shutdown();
      return closed ??= close(graceMs, judged, hurry);
    },
  };
}

/** Every message goes to the log of incidents; at level trace the log hears it whole. */
function hearing(
  { id, onExchange }: ConnectionOptions,
  incidents: IncidentLog,
): (exchange: Exchange) => void {
  const trace = log.enabled("trace");
  return (exchange) => {
    incidents.watch(exchange.message, exchange.direction);
    if (trace) log.trace(exchange.direction, { connection: id, rpc: exchange.message });
    onExchange?.(exchange);
  };
}

function requests(
  peer: Peer,
  server: ServerInfo,
  desk: ClientFeatures,
  options: ConnectionOptions,
): Pick<Connection, "listTools" | "callTool" | "request" | "ping"> {
  let schemas = outputSchemas(options.tools ?? []);
  // 2026-07-28 has no ping; asking for what the server is does the same.
  const pingMethod = server.protocolVersion === modernRevision ? "server/discover" : "ping";
  return {
    async listTools() {
      const tools = await listTools(peer, options.timeoutMs);
      schemas = outputSchemas(tools);
      return tools;
    },
    async callTool(tool, input, callOptions = {}) {
      const params = { name: tool, arguments: input };
      const how = { action: `call ${tool}`, ...callOptions };
      return buildOutcome(await askWithInput(peer, desk, "tools/call", params, how), schemas.get(tool));
    },
    async request(method, params, callOptions = {}) {
      const how = { action: `ask ${method}`, ...callOptions };
      return buildRequestOutcome(await askWithInput(peer, desk, method, params, how));
    },
    async ping(timeoutMs) {
      return (await peer.request(pingMethod, {}, { action: "ping the server", timeoutMs })).durationMs;
    },
  };
}

const outputSchemas = (tools: readonly ToolDefinition[]): Map<string, unknown> =>
  new Map(
    tools.filter((tool) => tool.outputSchema !== undefined).map((tool) => [tool.name, tool.outputSchema]),
  );

const answerServer = (method: string, desk: ClientFeatures): ServerReply | undefined =>
  method === "ping" ? { result: {} } : desk.answer(method);

const abilitiesOf = ({ abilities = [], roots }: ConnectionOptions): ClientCapability[] => [
  ...new Set<ClientCapability>([...abilities, ...(roots ? ["roots" as const] : [])]),
];

function lostError(action: string, loss: ConnectionLoss, stray: string[]): PthError {
  return new PthError("SERVER_LOST", `Cannot ${action}: the server has exited: ${loss.message}`, {
    output: loss.stderrTail,
    exitCode: loss.exitCode,
    signal: loss.signal,
    strayOutput: [...stray],
  });
}

/** Output of servers that wait for clients on a port instead of on stdin. */
const servesElsewhere = /\blistening\b|\bport \d|https?:\/\/(?:localhost|127\.|0\.0\.0\.0|\[::)/i;
const overHttp: NextStep = {
  terminal:
    'If it serves HTTP, say where: --url "http://127.0.0.1:{port}/mcp" (PTH chooses {port} and sets PORT)',
  mcp:
    'If it serves HTTP, say where: pth_start_session({ pluginPath, url: "http://127.0.0.1:{port}/mcp" }); PTH chooses {port} and sets PORT',
};

/** Error of a connection that was not initialized, with all output of the server so far. */
function startError(
  error: unknown,
  stray: string[],
  stderrTail: string,
  byHand = "Start the server by hand with the same command and look at its output",
): unknown {
  if (!(error instanceof PthError)) return error;
  const lost = error.code === "SERVER_LOST";
  const message = lost
    ? error.message.replace("the server has exited: ", "") + " before initialize"
    : error.message;
  const said = [error.context.output, stderrTail, ...stray].filter((text) =>
    text !== undefined && text !== ""
  );
  const output = [...new Set(said)].join("\n");
  const elsewhere = error.code === "SERVER_SILENT" && servesElsewhere.test(output);
  return new PthError(lost ? "START_FAILED" : error.code, message, {
    ...error.context,
    output,
    strayOutput: [...stray],
    tried: ["server/discover", "initialize"],
    next: [...(elsewhere ? [overHttp] : []), byHand],
  }, { cause: error });
}

/** Limit on rounds of input, the same as in the SDK's client. */
const mostRounds = 10;

/** Before a request is repeated that was put off without a question. */
const pauseMs = 250;

/** The last answer: one that asks for input still is an outcome like any other. @throws as `Peer.request` */
async function askWithInput(
  peer: Peer,
  desk: ClientFeatures,
  method: string,
  params: JsonObject,
  options: PeerRequestOptions,
): Promise<PeerResponse> {
  let answer = await peer.request(method, params, options);
  for (let round = 1; round < mostRounds && desk.abilities.length > 0; round++) {
    const wanted = wantedInput(answer.result);
    if (wanted === undefined) break;
    const responses = respond(desk, wanted.requests);
    if (responses === undefined) break;
    const asked = Object.keys(responses).length > 0;
    if (!asked) await delay(pauseMs);
    const more = {
      ...(asked ? { inputResponses: responses } : {}),
      ...(wanted.state === undefined ? {} : { requestState: wanted.state }),
    };
    const last = await peer.request(method, { ...params, ...more }, options);
    answer = { ...last, durationMs: answer.durationMs + last.durationMs };
  }
  return answer;
}

function wantedInput(result: unknown): { requests: JsonObject; state: unknown } | undefined {
  if (!isObject(result) || result.resultType !== "input_required") return undefined;
  return { requests: isObject(result.inputRequests) ? result.inputRequests : {}, state: result.requestState };
}

/** Undefined where one of the questions is not offered, or was refused: the protocol has no answer that says so. */
function respond(desk: ClientFeatures, requests: JsonObject): JsonObject | undefined {
  const responses: JsonObject = {};
  for (const [key, request] of Object.entries(requests)) {
    const method = isObject(request) && typeof request.method === "string" ? request.method : "";
    const reply: ServerReply | undefined = desk.answer(method);
    if (reply === undefined || "error" in reply) return undefined;
    responses[key] = reply.result;
  }
  return responses;
}
