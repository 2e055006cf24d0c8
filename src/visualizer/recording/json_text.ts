/**
 * Any value as JSON for a recording: actors as their ids, errors as their text, long lists as their length. Written by hand,
 * because it ends where enough is written: results may be large.
 */

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/** Lists of more entries are their length. */
const longestList = 20;
/** Greatest nesting depth; a value that contains itself is cut there. */
const deepest = 1000;
/** Characters of a long text that are searched for secrets; the rest is searched only if these contain one. */
const looked = 64 * 1024;

/**
 * The value's JSON, or, where that is longer than `enough`, so much of it at least; undefined where JSON has nothing for it.
 * Each text in it is redacted whole before any of it is written: a cut cannot go through a secret.
 */
export function jsonText(value: unknown, redact: Redact, enough: number): string | undefined {
  if (typeof value === "string") return quote(value, redact, enough);
  const writer = new Writer(redact, enough);
  try {
    return writer.value(value) ? writer.text : undefined;
  } catch (error) {
    return unreadableValue(error, redact);
  }
}

/** Placeholder for a value whose getter, proxy or `toJSON` throws: recording must not fail because of it. */
export const unreadableValue = (error: unknown, redact: Redact): string =>
  `{${unreadableMember(error, redact)}}`;

export const unreadableMember = (error: unknown, redact: Redact): string =>
  `"unreadable":${JSON.stringify(redact(error instanceof Error ? String(error) : typeof error))}`;

/** A name of a member, with its colon. */
export function keyText(key: string, redact: Redact): string {
  if (redact(key) !== key) return `${JSON.stringify(redact(key))}:`;
  let text = keyTexts.get(key);
  if (text === undefined) {
    if (keyTexts.size > mostKeys) keyTexts.clear();
    keyTexts.set(key, text = `${JSON.stringify(key)}:`);
  }
  return text;
}

/** The same few hundred names come again and again. */
const keyTexts = new Map<string, string>();
const mostKeys = 5000;

// deno-lint-ignore no-control-regex -- these are what JSON escapes, and lone surrogates
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;

function quote(text: string, redact: Redact, enough: number): string {
  const shown = text.length <= looked ? redact(text) : redactLong(text, redact);
  const kept = shown.length <= enough ? shown : shown.slice(0, enough + 1);
  return escaped.test(kept) ? JSON.stringify(kept) : `"${kept}"`;
}

/** A secret that begins within the first characters shows within the first 64 Ki. */
function redactLong(text: string, redact: Redact): string {
  const head = text.slice(0, looked);
  return redact(head) === head ? head : redact(text);
}

type Members = { readonly [key: string]: unknown };

class Writer {
  text = "";
  readonly #redact: Redact;
  readonly #enough: number;
  #depth = 0;

  constructor(redact: Redact, enough: number) {
    this.#redact = redact;
    this.#enough = enough;
  }

  /** Answers whether anything was written. */
  value(value: unknown): boolean {
    switch (typeof value) {
      case "string":
        this.text += quote(value, this.#redact, this.#enough);
        return true;
      case "number":
        this.text += this.#number(value);
        return true;
      case "boolean":
        this.text += value ? "true" : "false";
        return true;
      case "bigint":
        this.text += quote(String(value), this.#redact, this.#enough);
        return true;
      case "object":
        return value === null ? this.#null() : this.#object(value);
      default:
        return false;
    }
  }

  #null(): true {
    this.text += "null";
    return true;
  }

  #object(value: object): boolean {
    if (this.#depth === deepest) throw new RangeError(`More than ${deepest} levels`);
    this.#depth++;
    const written = this.#inside(value);
    this.#depth--;
    return written;
  }

  #inside(value: object): boolean {
    if (Array.isArray(value)) this.#list(value);
    else if (isActor(value)) this.text += `{"actor":${JSON.stringify(value.sessionId)}}`;
    else if (value instanceof Error) this.#error(value);
    else if (ArrayBuffer.isView(value)) this.text += `{"bytes":${value.byteLength}}`;
    else if ("toJSON" in value && typeof value.toJSON === "function") return this.value(value.toJSON(""));
    else this.#members(value as Members);
    return true;
  }

  #error(error: Error & { code?: unknown }): void {
    const { message, code } = error;
    this.#members({ error: message, ...(typeof code === "string" ? { code } : {}) });
  }

  #list(list: readonly unknown[]): void {
    if (list.length > longestList) {
      this.text += `{"list":${list.length}}`;
      return;
    }
    this.text += "[";
    for (let at = 0; at < list.length && this.text.length <= this.#enough; at++) {
      if (at > 0) this.text += ",";
      if (!this.value(list[at])) this.text += "null";
    }
    this.text += "]";
  }

  #members(value: Members): void {
    this.text += "{";
    let before = "";
    for (const key of Object.keys(value)) {
      if (this.text.length > this.#enough) break;
      const member = value[key];
      if (member === undefined || typeof member === "function") continue;
      const start = this.text;
      this.text += before + keyText(key, this.#redact);
      if (this.value(member)) before = ",";
      else this.text = start;
    }
    this.text += "}";
  }

  /** Redacts numbers, too: a secret of digits may be a number. */
  #number(value: number): string {
    if (!Number.isFinite(value)) return "null";
    const text = String(value);
    return this.#redact(text) === text ? text : JSON.stringify(this.#redact(text));
  }
}

const isActor = (value: object): value is { sessionId: string } =>
  "sessionId" in value && "getSnapshot" in value;
