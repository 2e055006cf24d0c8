/** Removes secrets from everything that leaves PTH: reports, recordings, errors, output. */
import { PthError } from "./errors.ts";
import { decoded, type SecretEncoding, secretEncodings } from "./secret_encodings.ts";

export interface Redactor {
  /** The text with each secret, in any of its usual encodings, replaced by `[REDACTED]`. */
  text(text: string): string;
  /** A deep copy of plain data with all its strings (keys, too) redacted. */
  value<Value>(value: Value): Value;
}

export const redacted = "[REDACTED]";

/** @param secrets the values, not the names; empty ones are ignored */
export function makeRedactor(secrets: Iterable<string>): Redactor {
  const values = [...secrets];
  // One that looks escaped itself is taken back with the escapes around it.
  const bare = values.map((value) => wholly(value)).filter((value, at) =>
    value !== values[at] && value.length >= 4
  );
  const forms = secretEncodings([...values, ...bare]);
  if (forms.length === 0) return { text: (text) => text, value: (value) => value };
  // Nearly no text holds a secret: one look says so.
  const any = new RegExp([...new Set(forms.flatMap(({ anchors }) => anchors))].join("|"));
  const text = (text: string) => hideDecoded(any.test(text) ? forms.reduce(hide, text) : text, forms, any);
  return { text, value: (value) => deep(value, text, new Map()) as typeof value };
}

/**
 * Redacts the message, the stack, the context and the causes of an error. An error without secrets
 * is returned as it is; a foreign one with secrets becomes a plain `Error` of the same name.
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

const hide = (text: string, { anchors, pattern }: SecretEncoding): string =>
  anchors.some((anchor) => text.includes(anchor)) ? text.replace(pattern(), redacted) : text;

/** Encodings within encodings that are looked into. */
const deepest = 4;

/** Without any escape, as far as encodings within encodings are looked into. */
function wholly(text: string, depth = 0): string {
  const plain = depth === deepest ? undefined : decoded(text);
  return plain === undefined ? text : wholly(plain.text, depth + 1);
}

type Range = [from: number, to: number];

/** Decodes escapes of ordinary characters, to find what shows only then: the text keeps all others as they are. */
function hideDecoded(text: string, forms: readonly SecretEncoding[], any: RegExp): string {
  const pieces: string[] = [];
  let done = 0;
  for (const [from, to] of rangesIn(text, forms, any, 0).sort(([a], [b]) => a - b)) {
    if (from >= done) pieces.push(text.slice(done, from), redacted);
    done = Math.max(done, to);
  }
  return pieces.length === 0 ? text : pieces.join("") + text.slice(done);
}

function rangesIn(text: string, forms: readonly SecretEncoding[], any: RegExp, depth: number): Range[] {
  const plain = depth === deepest ? undefined : decoded(text);
  if (plain === undefined) return [];
  const found = any.test(plain.text)
    ? forms.filter(({ anchors }) => anchors.some((anchor) => plain.text.includes(anchor))).flatMap((form) =>
      [...plain.text.matchAll(form.pattern())].map((
        match,
      ): Range => [match.index, match.index + match[0].length])
    )
    : [];
  return [...found, ...rangesIn(plain.text, forms, any, depth + 1)]
    .map(([from, to]): Range => [plain.placeOf(from), plain.placeOf(to)]);
}

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
