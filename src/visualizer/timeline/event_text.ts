/** Words of recorded events that several views need: what an error says, how a server was lost, what kind of event it is. */
import { isObject } from "../../core/values.ts";

/** Types of events that name a failure: `plugin.failed`, `connection.open_failed`, `call.broke`. */
const failure = /(?:^|[._])(?:failed|lost|broke|broken|refused)$/;

/** True for an event that says by its type that something went wrong. */
export const reportsFailure = (type: string): boolean =>
  type.startsWith("xstate.error.") || type === "xstate.promise.reject" || failure.test(type);

/** Type of an event; a truncated event begins with it. */
export function typeOf(event: unknown): string {
  if (!isObject(event)) return "";
  if (typeof event["type"] === "string") return event["type"];
  const begins = typeof event["abridged"] === "string" ? event["abridged"] : "";
  return /^\{"type":"([^"\\]+)"/.exec(begins)?.[1] ?? "";
}

/** Message of an error in any recorded form; undefined if there is none. */
export function errorText(error: unknown): string | undefined {
  if (typeof error === "string") return error;
  if (!isObject(error)) return undefined;
  for (const key of ["error", "message", "abridged"]) {
    if (typeof error[key] === "string") return error[key];
  }
  return undefined;
}

/** Describes how the connection to a server ended: `exited with 3: TypeError: x is not a function`. */
export function lossText(loss: unknown): string | undefined {
  if (!isObject(loss) || typeof loss["reason"] !== "string") return undefined;
  const how = lossReason(loss["reason"], loss);
  const said = lastErrorLine(loss["stderrTail"]);
  if (said !== undefined) return `${how}: ${said}`;
  return typeof loss["message"] === "string" && loss["message"] !== "" ? `${how}: ${loss["message"]}` : how;
}

function lossReason(reason: string, { exitCode, signal }: Record<string, unknown>): string {
  if (typeof exitCode === "number") return `exited with ${exitCode}`;
  if (typeof signal === "string") return `ended by ${signal}`;
  return reason === "protocol" ? "broke the protocol" : reason;
}

/** Reason that an event states: its error, or how a server was lost; undefined if it states none. */
export function eventReason(event: unknown): string | undefined {
  if (!isObject(event)) return undefined;
  return lossText(event["loss"]) ?? errorText(event["error"]) ??
    (event["type"] === "xstate.promise.reject" ? errorText(event["data"]) : undefined);
}

/** The verdict in an event, if it is a failure. */
export function failedVerdict(event: unknown): Record<string, unknown> | undefined {
  const verdict = isObject(event) ? event["verdict"] : undefined;
  return isObject(verdict) && verdict["status"] === "failed" ? verdict : undefined;
}

/** True for an event that reports an error. */
export const isErrorEvent = (event: unknown): boolean =>
  reportsFailure(typeOf(event)) || failedVerdict(event) !== undefined;

/** Lines that runtimes write below any error. */
const closing = /^(?:Node\.js v\d|\(Use `node --trace-|note: run with `RUST_BACKTRACE|exit status \d)/;

const goroutine = /^goroutine \d+ \[/;

const caret = /^\s*\^+\s*$/;

/** The line of what went to stderr that says most of why: of an uncaught error its own, else the last. */
export function lastErrorLine(stderr: unknown): string | undefined {
  if (typeof stderr !== "string") return undefined;
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  return (thrown(lines) ?? panic(lines) ?? lines.findLast((line) => !closing.test(line)))?.trim();
}

/** Node shows the place with a caret, then the error with its stack and properties, then its version. */
function thrown(lines: readonly string[]): string | undefined {
  if (!/^Node\.js v\d/.test(lines.at(-1) ?? "")) return undefined;
  const place = lines.findLastIndex((line) => caret.test(line));
  return place < 0 ? undefined : lines[place + 1];
}

/** Go lists the goroutines below a panic. */
function panic(lines: readonly string[]): string | undefined {
  const stacks = lines.findIndex((line) => goroutine.test(line));
  return stacks < 1 ? undefined : lines[stacks - 1];
}
