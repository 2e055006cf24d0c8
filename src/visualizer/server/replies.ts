/** Replies of the API. */
import { asPthError, type ErrorCode, PthError } from "../../core/errors.ts";
import type { HttpReply } from "../../platform/http_server.ts";
import { log } from "../../platform/log.ts";
import { definedOnly, escapeMarkup } from "../../core/values.ts";
import type { ApiError } from "./api.ts";
import type { NextStep } from "../../core/next_step.ts";
import { nextStepsFor } from "../../core/next_step.ts";

export const jsonReply = (value: unknown, status = 200): HttpReply => ({
  status,
  headers: { ...safeHeaders, "content-type": "application/json; charset=utf-8" },
  body: JSON.stringify(value),
});

/** @param download the file's name, where the browser is to save it */
export const fileReply = (
  body: NonNullable<HttpReply["body"]>,
  type: string,
  download?: string,
): HttpReply => ({
  status: 200,
  headers: {
    ...safeHeaders,
    "content-type": `${type}; charset=utf-8`,
    ...(download === undefined ? {} : { "content-disposition": `attachment; filename="${download}"` }),
  },
  body,
});

/** Refusals of the API itself. */
export const notFoundError = (what: string, next: NextStep[] = []): PthError =>
  new PthError("INVALID_INPUT", `Cannot answer: there is no ${what}`, { status: 404, next });

const statuses: Partial<Record<ErrorCode, number>> = {
  INVALID_INPUT: 400,
  TARGET_NOT_FOUND: 404,
  NO_SESSION: 404,
  NOT_NOW: 409,
  UNSUPPORTED: 400,
  SERVER_LOST: 410,
};

/** Turns any thrown value into a reply; internal errors are logged by the viewer, too. */
export function errorReply(thrown: unknown): HttpReply {
  const failure = asPthError(thrown, "Cannot answer");
  const { code, message, context: { next, status } } = failure;
  if (code === "INTERNAL") log.error(message, { error: failure.cause ?? failure });
  const error: ApiError = definedOnly({
    code,
    message,
    next: next?.length ? nextStepsFor("terminal", next) : undefined,
  });
  return jsonReply(error, typeof status === "number" ? status : statuses[code] ?? 500);
}

/** The headers of every answer. Scripts and styles come from here alone, and nothing may leave. */
export const safeHeaders: Record<string, string> = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** @param next where the browser goes by itself, at once */
export function notePage(status: number, title: string, lines: readonly string[], next?: string): HttpReply {
  const refresh = next === undefined
    ? ""
    : `<meta http-equiv="refresh" content="0;url=${escapeMarkup(next)}">`;
  return {
    status,
    headers: { ...safeHeaders, "content-type": "text/html; charset=utf-8" },
    body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
${refresh}
<title>${escapeMarkup(title)} – PTH</title>
<h1>${escapeMarkup(title)}</h1>
${lines.map((line) => `<p>${escapeMarkup(line)}</p>`).join("\n")}
</html>
`,
  };
}
