/** Takes secrets out of whatever leaves PTH: reports, recordings, errors, output (PTH design §9). */
import { Buffer } from "node:buffer";

export interface Redactor {
  /** The text with each secret, in any of its usual encodings, replaced by `[REDACTED]`. */
  text(text: string): string;
  /** A deep copy of plain data with all its strings (keys, too) redacted. */
  value<Value>(value: Value): Value;
}

export const redacted = "[REDACTED]";

/**
 * Shorter secrets would tear ordinary text apart ("1", "no"): they are replaced only where they stand alone, not within a word.
 */
const shortest = 4;

/** @param secrets the values, not the names; empty ones are ignored */
export function makeRedactor(secrets: Iterable<string>): Redactor {
  const forms = [...new Set([...secrets].flatMap(encodingsOf))].sort((a, b) => b.length - a.length);
  if (forms.length === 0) return { text: (text) => text, value: (value) => value };
  const pattern = new RegExp(forms.map(patternOf).join("|"), "g");
  const text = (text: string) => text.replace(pattern, redacted);
  return { text, value: (value) => deep(value, text, new Map()) as typeof value };
}

/** A secret as it is, and as JSON, URLs, Base64 and HTML show it. */
function encodingsOf(secret: string): string[] {
  if (secret.trim() === "") return [];
  const encodings = [secret, secret.trim(), JSON.stringify(secret).slice(1, -1), percentEncoded(secret)];
  if (secret.length < shortest) return encodings;
  const lines = secret.split(/\r?\n/).map((line) => line.trim()).filter((line) => line.length >= 8);
  const html = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(
    '"',
    "&quot;",
  );
  return [...encodings, ...lines, html, ...base64Of(secret)];
}

/** Base64 of the secret alone, and the inner part that it has at any offset within longer data ("user:secret"). */
function base64Of(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const whole = [bytes.toString("base64"), bytes.toString("base64url")].map((text) =>
    text.replace(/=+$/, "")
  );
  const inner = [0, 1, 2].flatMap((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]);
    const from = Math.ceil(offset * 8 / 6);
    const to = Math.floor(shifted.length * 8 / 6);
    return [shifted.toString("base64").slice(from, to), shifted.toString("base64url").slice(from, to)];
  });
  return [...whole, ...inner.filter((text) => text.length >= 8)];
}

/** Lone surrogates have no percent encoding. */
const percentEncoded = (secret: string): string =>
  encodeURIComponent(secret.replaceAll(/\p{Surrogate}/gu, "\ufffd"));

function patternOf(form: string): string {
  const literal = form.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return form.length < shortest ? `(?<![\\w-])${literal}(?![\\w-])` : literal;
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
