/** Requests and answers over a wire: ids, timeouts, cancelling, progress, and what the server asks of us. */
import type { ServerNotification } from "../../machines/model/plugin.ts";
import { PthError } from "../core/errors.ts";
import type { Capture } from "./capture.ts";
import {
  type JsonObject,
  judgeAnswer,
  type JudgedAnswer,
  type MessageTransport,
  type RpcMessage,
} from "./rpc_message.ts";
import { isObject } from "../core/values.ts";
import type { ServerReply } from "./client_features.ts";

export interface PeerResponse extends JudgedAnswer {
  /** The message as it came. */
  raw: unknown;
  /** The message's id; absent where it was no message. */
  bytes?: number;
  durationMs: number;
}

export interface PeerRequestOptions {
  /** Description of the request for error messages: "call echo". */
  action: string;
  timeoutMs?: number;
  signal?: AbortSignal;
  onProgress?: (progress: McpProgress) => void;
  /** Hears notifications other than progress that name the request. */
  onActivity?: () => void;
}

/** Undefined for a method that this client does not offer. */
type ServerRequestHandler = (method: string) => ServerReply | undefined;

export interface Peer {
  /** @throws {PthError} `SERVER_SILENT`, `SERVER_LOST`, `PROTOCOL_VIOLATION`; or the signal's reason */
  request(method: string, params: JsonObject, options: PeerRequestOptions): Promise<PeerResponse>;
  notify(method: string, params?: JsonObject): void;
  /** `_meta` that goes with every request from now on (2026-07-28). */
  setEnvelope(envelope: JsonObject): void;
  /** Fails what is awaited and all that is asked later. */
  end(error: (action: string) => PthError): void;
}

interface Pending {
  action: string;
  started: number;
  onProgress: ((progress: McpProgress) => void) | undefined;
  onActivity: (() => void) | undefined;
  settle(outcome: PeerResponse | PthError): void;
}

/** Methods that must not be cancelled: `initialize` by the specification, the other because old servers do not know it. */
const handshakeMethods = ["initialize", "server/discover"];

interface PeerOptions {
  wire: MessageTransport;
  capture: Capture;
  onStray: (line: string) => void;
  onServerRequest: ServerRequestHandler;
  /** Hears every notification of the server, with its size in bytes. */
  onNotification?: (notification: ServerNotification, bytes: number) => void;
}

export async function createRpcPeer(
  { wire, capture, onStray, onServerRequest, onNotification }: PeerOptions,
): Promise<Peer> {
  const pending = new Map<number, Pending>();
  let nextId = 0;
  let envelope: JsonObject | undefined;
  let ended: ((action: string) => PthError) | undefined;

  const send = (message: RpcMessage, signal?: AbortSignal): void => {
    const text = JSON.stringify(message);
    capture.add("sent", message, text.length);
    wire.send(message, text, signal);
  };
  const notify = (method: string, params?: JsonObject): void => {
    if (!ended) send({ jsonrpc: "2.0", method, ...(params && { params }) });
  };
  const failAll = (errorFor: (action: string) => PthError): void => {
    for (const waiting of [...pending.values()]) waiting.settle(errorFor(waiting.action));
  };

  const receive = (message: unknown, bytes: number): void => {
    capture.add("received", message, bytes);
    if (!isObject(message)) return;
    if (typeof message.method !== "string") return answered(pending, message, bytes);
    if (message.id !== undefined && message.id !== null) {
      return send(answerTo(message.id, message.method, onServerRequest));
    }
    const { method, params } = message;
    if (isObject(params)) progressed(pending, method, params);
    onNotification?.({ method, params: isObject(params) ? params : {} }, bytes);
  };

  await wire.start({
    message: receive,
    stray: onStray,
    unusable: (id, problem, raw) => {
      const waiting = pending.get(id);
      waiting?.settle({ problems: [problem], raw, durationMs: performance.now() - waiting.started });
    },
    broken: (error) => failAll(() => error),
  });

  return {
    request(method, params, options) {
      const { action, signal, onProgress } = options;
      if (ended) return Promise.reject(ended(action));
      if (signal?.aborted) return Promise.reject(signal.reason);
      const id = ++nextId;
      const meta = {
        ...(params._meta as JsonObject | undefined),
        ...envelope,
        ...(onProgress && { progressToken: id }),
      };
      const given = wire.cancelsBySignal ? new AbortController() : undefined;
      const answer = awaitAnswer(pending, id, options, () => {
        if (given) given.abort();
        else if (!handshakeMethods.includes(method)) notify("notifications/cancelled", { requestId: id });
      });
      const hasMeta = Object.keys(meta).length > 0;
      send(
        { jsonrpc: "2.0", id, method, params: hasMeta ? { ...params, _meta: meta } : params },
        given?.signal,
      );
      return answer;
    },
    notify,
    setEnvelope(next) {
      envelope = next;
    },
    end(error) {
      ended ??= error;
      failAll(error);
    },
  };
}

/** Waits for an answer, the signal or the time limit, whichever comes first; the latter two `cancel` the request. */
function awaitAnswer(
  pending: Map<number, Pending>,
  id: number,
  { action, timeoutMs, signal, onProgress, onActivity }: PeerRequestOptions,
  cancel: () => void,
): Promise<PeerResponse> {
  return new Promise((resolve, reject) => {
    const finish = () => {
      pending.delete(id);
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
    };
    const giveUp = () => {
      finish();
      cancel();
      reject(signal?.aborted ? signal.reason : silent(action, timeoutMs));
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs);
    signal?.addEventListener("abort", giveUp, { once: true });
    const settle = (outcome: PeerResponse | PthError) => {
      finish();
      if (outcome instanceof PthError) reject(outcome);
      else resolve(outcome);
    };
    pending.set(id, { action, started: performance.now(), onProgress, onActivity, settle });
  });
}

/** Ignores an answer without a pending request (a late one, or an unknown id): the capture has it. */
function answered(pending: Map<number, Pending>, message: JsonObject, bytes: number): void {
  const waiting = pending.get(Number(message.id));
  if (message.id === null || waiting === undefined) return;
  const durationMs = performance.now() - waiting.started;
  waiting.settle({ ...judgeAnswer(message), raw: message, bytes, durationMs });
}

/** Tells a pending request of its progress, or of another notification that names it. */
function progressed(pending: Map<number, Pending>, method: string, params: JsonObject): void {
  // It names a request of the server's own.
  if (method === "notifications/cancelled") return;
  const waiting = namesOf(params).map((name) => pending.get(Number(name))).find(Boolean);
  const { progress, total, message } = params;
  if (method !== "notifications/progress" || typeof progress !== "number") return waiting?.onActivity?.();
  waiting?.onProgress?.({
    progress,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message } : {}),
  });
}

/** Progress tokens and request ids of a notification; the token that a request was given is its id. */
function namesOf(params: JsonObject): (string | number)[] {
  const meta = isObject(params._meta) ? params._meta : {};
  return [params.progressToken, meta.progressToken, params.requestId, meta.requestId].filter((
    name,
  ): name is string | number => typeof name === "number" || (typeof name === "string" && name !== ""));
}

function answerTo(id: unknown, method: string, handle: ServerRequestHandler): RpcMessage {
  const reply = handle(method);
  if (reply !== undefined) return { jsonrpc: "2.0", id, ...reply };
  return { jsonrpc: "2.0", id, error: { code: -32601, message: `Method not found: ${method}` } };
}

/** For people: "250 ms", "60 s". */
const limit = (ms: number): string => ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`;

const silent = (action: string, timeoutMs: number | undefined): PthError =>
  new PthError("SERVER_SILENT", `Cannot ${action}: no answer within ${limit(timeoutMs ?? 0)}`);

export interface McpProgress {
  progress: number;
  total?: number;
  message?: string;
}
