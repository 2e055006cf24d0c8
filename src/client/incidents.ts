/**
 * Notes what a server does that no answer shows: output that is no message, requests that nobody offered to answer, progress
 * and answers that break their rules. Each is told with the moment at which it came.
 */
import { isObject } from "../core/values.ts";
import type { Exchange } from "./capture.ts";
import type { JsonObject } from "./rpc_message.ts";

/**
 * Moment of a connection's life: before its first call, while calls of one tool or of several are waited for, after an
 * answer, at its end.
 */
export type Moment =
  | { phase: "start" }
  | { phase: "call"; tool: string }
  | { phase: "calls" }
  | { phase: "after"; tool: string }
  | { phase: "shutdown" };

export interface Incident {
  /** Code of the finding that it makes. */
  code: "stdout-noise" | "undeclared-request" | "progress-misused" | "answered-twice";
  moment: Moment;
  /** Whether no call but one was made before: what comes then may be of the start, and late. */
  firstCall: boolean;
  /** The line, the method, or what is wrong with the message. */
  detail: string;
}

export interface IncidentLog {
  /** Takes note of a message in either direction, in order. */
  watch(message: unknown, direction: Exchange["direction"]): void;
  add(code: Incident["code"], detail: string): void;
  /** The connection is being closed: what comes now comes at its end. */
  shutdown(): void;
  /** The first of each code, in order; bounded. */
  incidents(): readonly Incident[];
}

interface Request {
  /** Absent for a request other than a tool call. */
  tool: string | undefined;
  /** Whether a progress token was given; it is the request's id. */
  hasToken: boolean;
  state: "open" | "answered" | "cancelled";
  progress?: number;
}

/** Most incidents of one code: at one moment, so that those of the start leave room for those of a call; and of all. */
const [mostAtMoment, mostIncidents] = [100, 1000];
/** Most requests that are remembered. */
const mostRequests = 500;
/** Limit in characters of a detail. */
const longestDetail = 2000;

interface IncidentOptions {
  /** Whether messages arrive in the order in which they were sent: not where several streams carry them. */
  inOrder: boolean;
  /** Takes secrets out of a text before it is cut. */
  hide?: (text: string) => string;
}

export function createIncidentLog({ inOrder, hide = (text) => text }: IncidentOptions): IncidentLog {
  const kept: Incident[] = [];
  const counts = new Map<string, number>();
  const requests = new Map<number, Request>();
  /** Tools whose calls are waited for, by the id of the request. */
  const open = new Map<number, string>();
  let moment: Moment = { phase: "start" };
  let lastId = 0;
  let calls = 0;

  const add = (code: Incident["code"], detail: string, at: Moment = moment): void => {
    const place = `${code} ${at.phase} ${"tool" in at ? at.tool : ""}`;
    const [count, there] = [counts.get(code) ?? 0, counts.get(place) ?? 0];
    if (count >= mostIncidents || there >= mostAtMoment) return;
    counts.set(code, count + 1);
    counts.set(place, there + 1);
    kept.push({ code, moment: at, firstCall: calls === 1, detail: hide(detail).slice(0, longestDetail) });
  };
  const shown = (value: unknown): string =>
    typeof value === "object" && value !== null
      ? "an object"
      : JSON.stringify(typeof value === "string" ? hide(value).slice(0, 80) : value) ?? "none";
  /** Moves on: to the calls that are waited for, else to the time after the one that has just ended. */
  const moveOn = (tool: string | undefined): void => {
    if (tool === undefined || moment.phase === "shutdown") return;
    const [one, ...others] = new Set(open.values());
    moment = one === undefined
      ? { phase: "after", tool }
      : others.length > 0
      ? { phase: "calls" }
      : { phase: "call", tool: one };
  };

  const sent = (message: JsonObject): void => {
    const { id, method, params } = message;
    const given = isObject(params) ? params : {};
    if (method === "notifications/cancelled") return end(Number(given.requestId), "cancelled");
    if (typeof id !== "number" || typeof method !== "string") return;
    const tool = method === "tools/call" && typeof given.name === "string" ? given.name : undefined;
    const hasToken = isObject(given._meta) && given._meta.progressToken !== undefined;
    requests.set(id, { tool, hasToken, state: "open" });
    lastId = id;
    const [oldest] = requests.keys();
    if (requests.size > mostRequests && oldest !== undefined) {
      requests.delete(oldest);
      open.delete(oldest);
    }
    if (tool !== undefined) {
      open.set(id, tool);
      calls++;
    }
    moveOn(tool);
  };
  const end = (id: number, state: "answered" | "cancelled"): void => {
    const request = requests.get(id);
    if (request?.state !== "open") return;
    request.state = state;
    open.delete(id);
    moveOn(request.tool);
  };
  const answered = ({ id }: JsonObject): void => {
    const request = requests.get(Number(id));
    if (id === null || request?.state !== "answered") return end(Number(id), "answered");
    const at: Moment = request.tool === undefined ? moment : { phase: "after", tool: request.tool };
    add("answered-twice", `a second answer to request ${id} came`, at);
  };
  const progressed = (params: unknown): void => {
    const { progressToken: token, progress } = isObject(params) ? params : {} as JsonObject;
    const request = requests.get(Number(token));
    // One that is not remembered any more may have been given a token.
    if (request === undefined && Number(token) >= 1 && Number(token) <= lastId) return;
    if (request?.hasToken !== true) {
      return add(
        "progress-misused",
        `progress came for a token that was never given: ${shown(token)}`,
      );
    }
    if (request.state === "cancelled") return;
    const at: Moment = request.tool === undefined ? moment : { phase: "call", tool: request.tool };
    if (request.state === "answered") {
      if (inOrder) add("progress-misused", "progress came after the answer", at);
      return;
    }
    if (typeof progress !== "number") {
      return add("progress-misused", `progress is no number: ${shown(progress)}`, at);
    }
    if (request.progress !== undefined && progress <= request.progress) {
      add("progress-misused", `progress did not increase: ${progress} after ${request.progress}`, at);
    }
    request.progress = progress;
  };

  return {
    watch(message, direction) {
      if (!isObject(message)) return;
      if (direction === "sent") return sent(message);
      if (typeof message.method !== "string") return answered(message);
      if (message.method === "notifications/progress") progressed(message.params);
    },
    add,
    shutdown: () => void (moment = { phase: "shutdown" }),
    incidents: () => kept,
  };
}
