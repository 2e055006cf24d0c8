/** Summarizes an event in one line. */
import { cutToColumns } from "../../core/columns.ts";
import { count, plainLine } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";
import { errorText, eventReason, lossText, typeOf } from "./event_text.ts";

/** Characters of a gist. */
const gistLength = 120;

type Facts = Record<string, unknown>;

/** The facts of an event that matter: `transform_text {"text":"a"}`, `exit 1, 120 ms: no such file`. Empty where there are none. */
export function summarizeEvent(event: unknown): string {
  if (!isObject(event)) return "";
  return cutToColumns(plainLine(textOf(typeOf(event), event)), gistLength);
}

function textOf(type: string, event: Facts): string {
  if (typeof event["abridged"] === "string") return insides(event["abridged"]);
  const own = Object.hasOwn(ownWords, type) ? ownWords[type]!(event) : undefined;
  if (own !== undefined && own !== "") return own;
  if (type.startsWith("xstate.after.")) return "the time is up";
  const facts = carried(type, event) ?? event;
  return isObject(facts) && isObject(facts["input"]) ? callText(facts) || factsOf(facts) : factsOf(facts);
}

/** XState's own events carry what they are about in one field. */
function carried(type: string, event: Facts): unknown {
  if (type.startsWith("xstate.done.")) return event["output"] ?? {};
  if (type === "xstate.init") return event["input"] ?? {};
  return type === "xstate.promise.resolve" ? event["data"] ?? {} : undefined;
}

/** Summaries of events of PTH that need an order of their own. */
const ownWords: Record<string, (event: Facts) => string> = {
  "connection.call": callText,
  "session.call": callText,
  "session.agent_call": callText,
  "agent_run.call": callText,
  "environment.perform": ({ kind, args }) => commandText(kind, args),
  "session.perform": ({ kind, args }) => commandText(kind, args),
  "session.work": ({ kind, args }) => commandText(kind, args),
  "operation.completed": ({ requestId, output }) => join(factsOf(output), brief(requestId)),
  "test.finished": ({ testId, verdict }) => `${word(testId)}: ${factsOf(verdict)}`,
  "lease.released": ({ leaseId, restart }) =>
    `${word(leaseId)}${restart === true ? ", the server is to be replaced" : ""}`,
};

function callText({ tool, input }: Facts): string {
  return typeof tool === "string" ? `${tool} ${json(input)}` : "";
}

function commandText(kind: unknown, args: unknown): string {
  const command = isObject(args) ? args["command"] ?? args["exec"] ?? args["argv"] : undefined;
  if (Array.isArray(command)) return join(word(kind), command.map(word).join(" "));
  return join(word(kind), typeof command === "string" ? command : json(args));
}

/** Texts of facts by their keys; the first ones matter most. */
const told: readonly [string, (value: unknown, facts: Facts) => string][] = [
  ["loss", (loss) => lossText(loss) ?? ""],
  ["status", (status) => word(status)],
  ["verdict", (verdict) => factsOf(verdict)],
  ["kind", (kind) => kind === "result" ? "" : word(kind)],
  ["isError", (isError) => isError === true ? "the tool refused" : ""],
  ["category", word],
  ["message", (text) => firstLine(text)],
  ["tool", word],
  ["outcome", (outcome) => factsOf(outcome)],
  ["text", (text) => word(text)],
  ["how", word],
  ["exitCode", (code) => typeof code === "number" ? `exit ${code}` : ""],
  ["code", (code) => typeof code === "number" ? `exit ${code}` : ""],
  ["signal", word],
  ["reason", (reason, facts) => lossText(facts) === undefined ? word(reason) : ""],
  ["name", word],
  ["version", word],
  ["server", (server) => factsOf(server)],
  ["plan", (plan) => factsOf(plan)],
  ["testId", word],
  ["attempt", (attempt) => `attempt ${word(attempt)}`],
  ["command", (command) => Array.isArray(command) ? command.map(word).join(" ") : word(command)],
  ["connectionId", word],
  ["callId", (id, { outcome, seen }) => outcome === undefined && seen === undefined ? word(id) : ""],
  ["leaseId", word],
  ["tag", word],
  ["snapshot", word],
  ["size", (size) => `size ${word(size)}`],
  ["ran", (ran) => `${word(ran)} ran`],
  ["runtime", word],
  ["handle", (handle) => factsOf(handle)],
  ["environment", (environment) => factsOf(environment)],
  ["report", (report) => factsOf(report)],
  ["result", (result) => factsOf(result)],
  ["planned", (planned) => isObject(planned) ? factsOf(planned["test"]) : ""],
  ["test", (test) => factsOf(test)],
  ["tests", (tests) => listText(tests, "test")],
  ["tools", (tools) => listText(tools, "tool")],
  ["stdout", (text) => word(text)],
  ["stderr", (text) => word(text)],
  ["durationMs", (ms) => typeof ms === "number" ? `${Math.round(ms)} ms` : ""],
  ["waitedMs", (ms) => typeof ms === "number" ? `after ${Math.round(ms)} ms` : ""],
  ["requestId", brief],
];

/** An error says all there is to say; else the first facts that are known. */
function factsOf(value: unknown): string {
  if (!isObject(value)) return word(value);
  const reason = eventReason(value) ?? (typeof value["reason"] === "string" ? lossText(value) : undefined);
  if (reason !== undefined) return join(word(value["testId"] ?? value["connectionId"]), reason);
  const texts: string[] = [];
  for (const [key, tell] of told) {
    if (texts.length === 4) break;
    const text = value[key] === undefined || value[key] === null ? "" : tell(value[key], value);
    if (text !== "") texts.push(text);
  }
  return texts.join(", ");
}

/** Remaining text of an event that was cut: its beginning, without the type. */
const insides = (text: string): string => text.replace(/^\{"type":"[^"\\]*",?/, "").replace(/^\{/, "");

/** A plain value as text; anything else says nothing here. */
function word(value: unknown): string {
  if (typeof value === "string") return cutToColumns(value, gistLength);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : errorText(value) ?? "";
}

/** A text whose first line stands alone. */
const firstLine = (value: unknown): string => word(value).split("\n")[0]!.replace(/:$/, "");

/** Long lists are recorded as their length. */
function listText(value: unknown, noun: string): string {
  if (Array.isArray(value)) return count(value.length, noun);
  return isObject(value) && typeof value["list"] === "number" ? count(value["list"], noun) : "";
}

/** The beginning of a UUID is enough to tell requests apart. */
function brief(id: unknown): string {
  const text = word(id);
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(text) ? `request ${text.slice(0, 8)}` : text;
}

const json = (value: unknown): string => value === undefined ? "" : JSON.stringify(value);
const join = (...texts: string[]): string => texts.filter((text) => text !== "").join(": ");
