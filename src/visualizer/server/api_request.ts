/** Requests to the API: their handlers, and their parameters, validated. */
import { PthError } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";
import type { EventFilter } from "../timeline/timeline.ts";
import type { HttpReply, HttpRequest } from "../../platform/http_server.ts";
import type { Sources } from "./sources.ts";

/** Rows that one question may ask for. */
export const maxQueryRows = 2000;

/** A number from 0 on. @throws {PthError} `INVALID_INPUT` for what is none */
export function numberParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value >= 0) return value;
  throw badParameter(name, text, "a number from 0 on");
}

/** A whole number from 0 on. @throws {PthError} `INVALID_INPUT` for what is none, and where it is missing without a default */
export function wholeIn(query: URLSearchParams, name: string, otherwise?: number): number {
  const value = numberParameter(query, name) ?? otherwise;
  if (value === undefined) throw badParameter(name, undefined, "a whole number from 0 on");
  if (!Number.isSafeInteger(value)) throw badParameter(name, query.get(name), "a whole number from 0 on");
  return value;
}

/** A place in the timeline: no further than its end, which it is where nothing is said. */
export const positionIn = (query: URLSearchParams, name: string, length: number): number =>
  Math.min(wholeIn(query, name, length), length);

/** @throws {PthError} `INVALID_INPUT` for what is neither true nor false */
export const flagIn = (query: URLSearchParams, name: string): boolean | undefined => {
  const text = query.get(name);
  if (text === null) return undefined;
  if (["true", "1", ""].includes(text)) return true;
  if (["false", "0"].includes(text)) return false;
  throw badParameter(name, text, "true or false");
};

/** Separated by commas. */
export const idsParameter = (query: URLSearchParams, name: string): string[] =>
  query.get(name)?.split(",").filter((id) => id !== "") ?? [];

/** @throws {PthError} `INVALID_INPUT` */
export function filterIn(query: URLSearchParams): EventFilter {
  const actors = idsParameter(query, "actors");
  return definedOnly({
    actors: actors.length > 0 ? actors : undefined,
    descendants: flagIn(query, "descendants"),
    type: query.get("type") || undefined,
    text: query.get("text") || undefined,
    since: numberParameter(query, "since"),
    until: numberParameter(query, "until"),
    internal: flagIn(query, "internal"),
  });
}

export const badParameter = (name: string, value: string | null | undefined, expected: string): PthError =>
  new PthError(
    "INVALID_INPUT",
    `Cannot answer: ${name} must be ${expected}${value == null ? " and is missing" : `, not "${value}"`}`,
    { parameter: name },
  );

/** A request as handlers receive it. */
export interface ApiRequest {
  http: HttpRequest;
  /** Values of the route's `:names`. */
  params: Record<string, string>;
  query: URLSearchParams;
}

export type ApiHandler = (request: ApiRequest, context: ApiContext) => Promise<HttpReply>;

/** All that the API answers from. */
export interface ApiContext {
  sources: Sources;
  /** Counts a page until it leaves; answers how to say that. */
  pageCame(): () => void;
}
