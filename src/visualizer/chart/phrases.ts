/**
 * Short texts for the actions and guards of a machine. No code is run: only what a definition or the source of a
 * function states is used.
 */
import { parentRef } from "../../../machines/parent_ref.ts";
import { isObject } from "../../core/values.ts";

const guardLength = 120;

/** An action of a definition: `assign source`, `send environment.provision to environment`, `stop suite`. */
export function actionPhrase(action: unknown): string {
  if (typeof action === "string") return action;
  if (!isObject(action) && typeof action !== "function") return String(action);
  const facts = action as unknown as Record<string, unknown>;
  switch (facts["type"]) {
    case "xstate.assign":
      return assignPhrase(facts["assignment"]);
    case "xstate.sendTo":
      return words("send", eventType(facts["event"]), receiver(facts["to"]));
    case "xstate.emit":
      return words("emit", eventType(facts["event"]));
    case "xstate.raise":
      return words("raise", eventType(facts["event"]));
    case "xstate.stopChild":
      return words("stop", nameOr(facts["actorRef"], "child"));
    case "xstate.spawnChild":
      return words("spawn", nameOr(facts["src"], "child"));
    case "xstate.cancel":
      return words("cancel", nameOr(facts["sendId"], "timer"));
    case "xstate.enqueueActions":
      return choicePhrase(facts["collect"]);
  }
  if (typeof facts["type"] === "string") return words(facts["type"], plainParams(facts["params"]));
  return typeof action === "function" && action.name !== "" ? action.name : "run code";
}

/** A guard by its name; an inline one by its expression. Absent where there is none. */
export function guardPhrase(guard: unknown): string | undefined {
  if (guard === undefined) return undefined;
  if (typeof guard === "string") return guard;
  const { type, guards } = guard as { type?: unknown; guards?: unknown[] };
  if (Array.isArray(guards)) {
    const parts = guards.map((part) => guardPhrase(part) ?? "");
    if (isCheck(guard, "not")) return `not ${parts.join("")}`;
    return parts.join(isCheck(guard, "or") ? " or " : " and ");
  }
  if (typeof type === "string") return words(type, plainParams((guard as { params?: unknown }).params));
  return typeof guard === "function" ? shorten(expressionOf(guard), guardLength) : "guard";
}

/** `not`, `and`, `or` are functions with their parts, distinguished by the name of their check. */
const isCheck = (guard: unknown, name: string): boolean =>
  ((guard as { check?: { name?: string } }).check?.name ?? "").toLowerCase().startsWith(`check${name}`);

/** A text of at most `length` characters; what was cut is shown by `…`. */
export const shorten = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).trimEnd()}…`;

/** A text in rows of at most `length` characters, broken between words; what does not fit into the last is cut. */
export function wrapWords(text: string, length: number, most: number): string[] {
  const rows: string[] = [];
  for (const word of text.split(" ")) {
    const row = rows[rows.length - 1];
    const fits = row !== undefined && `${row} ${word}`.length <= length;
    if (row !== undefined && (fits || rows.length === most)) rows[rows.length - 1] = `${row} ${word}`;
    else rows.push(word);
  }
  return rows.map((row) => shorten(row, length));
}

/** The body of an arrow function without its parameters, blanks, and marks that only the compiler reads. */
function expressionOf(code: object): string {
  const body = sourceOf(code).replace(/^(?:async\s+)?(?:\([^)]*\)|\w+)\s*=>\s*/, "");
  return withoutPair(body).replace(/\bcontext\./g, "");
}

/** Without brackets around the whole: compilers differ in whether they keep them. Those of `(a) && (b)` are no pair. */
function withoutPair(text: string): string {
  const inner = /^\((.*)\)$/.exec(text)?.[1];
  if (inner === undefined) return text;
  let open = 0;
  for (const sign of inner) {
    if (sign === "(") open++;
    if (sign === ")" && --open < 0) return text;
  }
  return inner;
}

/** Source of a function in the same words, whichever compiler or bundler wrote it down. */
const sourceOf = (code: unknown): string =>
  typeof code === "function"
    ? Function.prototype.toString.call(code)
      .replace(/\s+/g, " ")
      .replace(/ ?(=>|[!=]==|&&|\|\|) ?/g, " $1 ")
      .replace(/(["'])in /g, "$1 in ")
      .replace(/\bvoid 0\b/g, "undefined")
      .replace(/!([01])\b/g, (_, digit) => digit === "0" ? "true" : "false")
    : "";

function assignPhrase(assignment: unknown): string {
  if (!isObject(assignment)) return "assign";
  const spawned: string[] = [];
  const assigned: string[] = [];
  for (const [key, value] of Object.entries(assignment)) {
    const started = /\bspawn\(\s*["'](\w+)["']/.exec(sourceOf(value))?.[1];
    if (started === undefined) assigned.push(key);
    else spawned.push(started);
  }
  return [
    ...spawned.map((name) => `spawn ${name}`),
    ...(assigned.length === 0 ? [] : [`assign ${assigned.join(", ")}`]),
  ].join(", ");
}

/** An event's type: of an object for certain, of a function where its text has one. */
function eventType(event: unknown): string {
  if (isObject(event)) return String(event["type"]);
  return typesIn(sourceOf(event))[0] ?? "";
}

const typesIn = (source: string): string[] => [
  ...new Set([...source.matchAll(/\btype:\s*["']([\w.]+)["']/g)].map((found) => found[1]!)),
];

function receiver(to: unknown): string {
  if (to === parentRef) return "to parent";
  if (typeof to === "string") return `to ${to}`;
  const known = /=> (?:context|event)\.(\w+)$/.exec(sourceOf(to))?.[1];
  return known === undefined ? "" : `to ${known}`;
}

/** Lists the actions that an `enqueueActions` function may choose from. */
function choicePhrase(collect: unknown): string {
  const source = sourceOf(collect);
  const named = [...source.matchAll(/\benqueue\(\s*["'](\w+)["']/g)].map((found) => found[1]!);
  const sent = /\benqueue\.(?:sendTo|emit|raise)\(/.test(source) ? typesIn(source) : [];
  const deeds = [...new Set(named), ...sent.map((type) => `send ${type}`)];
  return deeds.length === 0 ? "update" : `may ${deeds.join(", ")}`;
}

const nameOr = (value: unknown, otherwise: string): string => typeof value === "string" ? value : otherwise;

/** Parameters that are known without running code, and are words. */
const plainParams = (params: unknown): string =>
  isObject(params) ? Object.values(params).filter((value) => typeof value === "string").join(" ") : "";

const words = (...parts: string[]): string => parts.filter((part) => part !== "").join(" ");
