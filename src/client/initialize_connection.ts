/**
 * Agrees on a protocol revision: `server/discover` (2026-07-28) first, as Claude Code does, then `initialize`
 * (2024-11-05 … 2025-11-25).
 */
import { truncate } from "../core/text.ts";
import type { ServerInfo } from "../../machines/model/plugin.ts";
import { PthError } from "../core/errors.ts";
import { type JsonObject } from "./rpc_message.ts";
import { isObject } from "../core/values.ts";
import type { Peer, PeerRequestOptions, PeerResponse } from "./rpc_peer.ts";

export interface ClientInfo {
  name: string;
  version: string;
}

export const modernRevision = "2026-07-28";
/** Revisions that begin with `initialize`, the newest first. */
const legacyRevisions: readonly string[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

interface HandshakeOptions {
  clientInfo: ClientInfo;
  capabilities: JsonObject;
  /** Limit in ms on the whole initialization. */
  timeoutMs: number;
  /** `auto` tries both; the others are for who knows the server's era already. */
  era: Era;
  signal?: AbortSignal;
  /** Reports the agreed revision, before the first message that follows the agreement. */
  agreed: (protocolVersion: string) => void;
}

export type Era = "auto" | "legacy" | "modern";

/** `_meta` that 2026-07-28 wants with every request. */
const envelopeFor = ({ clientInfo, capabilities }: HandshakeOptions): JsonObject => ({
  "io.modelcontextprotocol/protocolVersion": modernRevision,
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": capabilities,
});

/** @throws {PthError} `START_FAILED` refused, `SERVER_SILENT` too late, `PROTOCOL_VIOLATION` an answer that is none */
export async function initializeConnection(peer: Peer, options: HandshakeOptions): Promise<ServerInfo> {
  const deadline = performance.now() + options.timeoutMs;
  if (options.era === "legacy") return await initialize(peer, options, options.timeoutMs);
  // Old servers may never answer an unknown method; they get the larger part of the time.
  const probeMs = options.era === "modern" ? options.timeoutMs : Math.min(3000, options.timeoutMs / 3);
  const left = () => Math.max(1, deadline - performance.now());
  const modern = await discover(peer, options, probeMs);
  if (typeof modern === "object") return modern;
  try {
    return await initialize(peer, options, left());
  } catch (error) {
    // A new server that was slow to start has missed the first question.
    const late = modern === "silent" && isRefusal(error) ? await discover(peer, options, left()) : undefined;
    if (typeof late === "object") return late;
    throw error;
  }
}

const requestOptions = ({ signal }: HandshakeOptions, timeoutMs: number): PeerRequestOptions => ({
  action: "start plugin",
  timeoutMs,
  ...(signal && { signal }),
});

const isRefusal = (error: unknown): boolean => error instanceof PthError && error.code === "START_FAILED";

/** Server's capabilities; "silent" when it does not answer in time, "older" when it does not know the method. */
async function discover(
  peer: Peer,
  options: HandshakeOptions,
  timeoutMs: number,
): Promise<ServerInfo | "silent" | "older"> {
  const envelope = envelopeFor(options);
  let answer: PeerResponse;
  try {
    answer = await peer.request("server/discover", { _meta: envelope }, requestOptions(options, timeoutMs));
  } catch (error) {
    const silent = error instanceof PthError && error.code === "SERVER_SILENT";
    if (silent && options.era === "auto") return "silent";
    throw error;
  }
  const found = readDiscovery(answer.result);
  if (found) {
    options.agreed(modernRevision);
    peer.setEnvelope(envelope);
  } else if (options.era === "modern") throw refused("server/discover", answer);
  return found ?? "older";
}

function readDiscovery(result: unknown): ServerInfo | undefined {
  if (!isObject(result) || !Array.isArray(result.supportedVersions)) return undefined;
  if (!result.supportedVersions.includes(modernRevision)) return undefined;
  const meta = isObject(result._meta) ? result._meta : {};
  const info = meta["io.modelcontextprotocol/serverInfo"];
  return serverInfo(info, modernRevision, result);
}

async function initialize(peer: Peer, options: HandshakeOptions, timeoutMs: number): Promise<ServerInfo> {
  const { clientInfo, capabilities } = options;
  const params = { protocolVersion: legacyRevisions[0], capabilities, clientInfo };
  const answer = await peer.request("initialize", params, requestOptions(options, timeoutMs));
  if (answer.error) throw refused("initialize", answer);
  if (answer.result === undefined) throw unusable(answer);
  const { result } = answer;
  const protocolVersion = isObject(result) ? result.protocolVersion : undefined;
  if (!isObject(result) || typeof protocolVersion !== "string" || !isObject(result.serverInfo)) {
    throw new PthError(
      "PROTOCOL_VIOLATION",
      "Cannot start plugin: the answer to initialize lacks protocolVersion or serverInfo",
      {
        output: JSON.stringify(answer.raw),
      },
    );
  }
  if (!legacyRevisions.includes(protocolVersion)) {
    throw new PthError(
      "PROTOCOL_VIOLATION",
      `Cannot start plugin: unknown protocol revision ${truncate(protocolVersion, 200)}`,
      {
        output: JSON.stringify(answer.raw),
        supported: [...legacyRevisions, modernRevision],
      },
    );
  }
  options.agreed(protocolVersion);
  peer.notify("notifications/initialized");
  return serverInfo(result.serverInfo, protocolVersion, result);
}

/** Over HTTP the status shows whether an older transport is worth trying. */
const unusable = ({ problems, raw }: PeerResponse): PthError =>
  new PthError("PROTOCOL_VIOLATION", `Cannot start plugin: ${problems.join("; ")}`, {
    output: JSON.stringify(raw),
    ...(isObject(raw) && typeof raw.httpStatus === "number" ? { httpStatus: raw.httpStatus } : {}),
  });

const refused = (method: string, { error, raw }: PeerResponse): PthError =>
  new PthError(
    "START_FAILED",
    `Cannot start plugin: ${method} was refused: ${error?.message ?? "no usable answer"}`,
    {
      output: JSON.stringify(raw),
    },
  );

/** Cuts a server's own name, which is for people. */

function serverInfo(info: unknown, protocolVersion: string, result: JsonObject): ServerInfo {
  const { name, version } = isObject(info) ? info : {};
  return {
    name: typeof name === "string" ? truncate(name, 200) : "unnamed",
    version: typeof version === "string" ? truncate(version, 200) : "unknown",
    protocolVersion,
    capabilities: isObject(result.capabilities) ? result.capabilities : {},
    ...(typeof result.instructions === "string" ? { instructions: result.instructions } : {}),
  };
}
