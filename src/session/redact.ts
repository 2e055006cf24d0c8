/** Takes secrets out of whatever leaves PTH: reports, recordings, errors, output (PTH design §9). */
import { PthError } from "../errors.ts";
import { type ShownForm, shownForms } from "./shown_forms.ts";

export interface Redactor {
  /** The text with each secret, in any of its usual encodings, replaced by `[REDACTED]`. */
  text(text: string): string;
  /** A deep copy of plain data with all its strings (keys, too) redacted. */
  value<Value>(value: Value): Value;
}

export const redacted = "[REDACTED]";

/** @param secrets the values, not the names; empty ones are ignored */
export function makeRedactor(secrets: Iterable<string>): Redactor {
  const forms = shownForms(secrets);
  if (forms.length === 0) return { text: (text) => text, value: (value) => value };
  // Nearly no text holds a secret: one look says so.
  const any = new RegExp([...new Set(forms.flatMap(({ anchors }) => anchors))].join("|"));
  const text = (text: string) => any.test(text) ? forms.reduce(hide, text) : text;
  return { text, value: (value) => deep(value, text, new Map()) as typeof value };
}

/**
 * The error without secrets in its message, its stack, what it tells of itself, and in what caused it. One that holds none
 * is the very error; a foreign one with secrets becomes a plain `Error` of the same name.
 */
export function redactError(error: unknown, redact: Redactor): unknown {
  if (!(error instanceof Error)) return redact.value(error);
  const cause = redactError(error.cause, redact);
  const message = redact.text(error.message);
  const stack = redact.text(error.stack ?? "");
  const context = error instanceof PthError ? redact.value(error.context) : undefined;
  const same = cause === error.cause && message === error.message && stack === (error.stack ?? "");
  if (same && (!(error instanceof PthError) || sameText(context, error.context))) return error;
  const options = error.cause === undefined ? {} : { cause };
  const copy = error instanceof PthError
    ? new PthError(error.code, message, context, options)
    : Object.assign(new Error(message, options), { name: error.name });
  copy.stack = stack;
  return copy;
}

const sameText = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const hide = (text: string, { anchors, pattern }: ShownForm): string =>
  anchors.some((anchor) => text.includes(anchor)) ? text.replace(pattern(), redacted) : text;

function deep(value: unknown, text: (text: string) => string, seen: Map<object, unknown>): unknown {
  if (typeof value === "string") return text(value);
  if (typeof value !== "object" || value === null) return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    seen.set(value, list);
    for (const item of value) list.push(deep(item, text, seen));
    return list;
  }
  if (!isPlain(value)) return value;
  const copy: Record<string, unknown> = {};
  seen.set(value, copy);
  for (const [key, item] of Object.entries(value)) copy[text(key)] = deep(item, text, seen);
  return copy;
}

const isPlain = (value: object): boolean => {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
