/** Words of recorded events that several views need: what an error says, how a server was lost, what kind of event it is. */
import { isObject } from "../../core/values.ts";
import { lastErrorLine } from "./last_error_line.ts";

/** Types of facts that tell of a failure, by the way facts are named here: `plugin.failed`, `connection.open_failed`, `call.broke`. */
const failure = /(?:^|[._])(?:failed|lost|broke|broken|refused)$/;

/** True for an event that says by its type that something went wrong. */
export const reportsFailure = (type: string): boolean =>
  type.startsWith("xstate.error.") || type === "xstate.promise.reject" || failure.test(type);

/** The type of an event, also of one that was abridged: it comes first in its JSON. */
export function typeOf(event: unknown): string {
  if (!isObject(event)) return "";
  if (typeof event["type"] === "string") return event["type"];
  const begins = typeof event["abridged"] === "string" ? event["abridged"] : "";
  return /^\{"type":"([^"\\]+)"/.exec(begins)?.[1] ?? "";
}

/** What an error said, in whichever form it was recorded; undefined where there is none. */
export function errorText(error: unknown): string | undefined {
  if (typeof error === "string") return error;
  if (!isObject(error)) return undefined;
  for (const key of ["error", "message", "abridged"]) {
    if (typeof error[key] === "string") return error[key];
  }
  return undefined;
}

/** How a server went: `exited with 3: TypeError: x is not a function`. */
export function lossText(loss: unknown): string | undefined {
  if (!isObject(loss) || typeof loss["reason"] !== "string") return undefined;
  const how = howLost(loss["reason"], loss);
  const said = lastErrorLine(loss["stderrTail"]);
  if (said !== undefined) return `${how}: ${said}`;
  return typeof loss["message"] === "string" && loss["message"] !== "" ? `${how}: ${loss["message"]}` : how;
}

function howLost(reason: string, { exitCode, signal }: Record<string, unknown>): string {
  if (typeof exitCode === "number") return `exited with ${exitCode}`;
  if (typeof signal === "string") return `ended by ${signal}`;
  return reason === "protocol" ? "broke the protocol" : reason;
}

/** What says why, among the facts of an event: its error, or how a server was lost; undefined where nothing does. */
export function eventReason(event: unknown): string | undefined {
  if (!isObject(event)) return undefined;
  return lossText(event["loss"]) ?? errorText(event["error"]) ??
    (event["type"] === "xstate.promise.reject" ? errorText(event["data"]) : undefined);
}

/** The verdict that an event tells of, where that is a failure. */
export function failedVerdict(event: unknown): Record<string, unknown> | undefined {
  const verdict = isObject(event) ? event["verdict"] : undefined;
  return isObject(verdict) && verdict["status"] === "failed" ? verdict : undefined;
}

/** True for an event that a person looks for who asks what went wrong. */
export const isErrorEvent = (event: unknown): boolean =>
  reportsFailure(typeOf(event)) || failedVerdict(event) !== undefined;
