/**
 * A value as JSON for a recording: actors as their ids, errors as their text, long lists as their length, and not more of it
 * than somebody would read. Written by hand, because it ends where enough is written: contexts may be large.
 */

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/** Values of more characters of JSON are cut. */
const largest = 4000;
/** Lists of more entries are their length. */
const longestList = 20;
/** So much of a long text is looked through for secrets, unless there are some. */
const looked = 64 * 1024;

/** The value as JSON; undefined where JSON has nothing for it. */
export function abridge(value: unknown, redact: Redact): string | undefined {
  const text = write(value, redact);
  if (text === undefined || text.length <= largest) return text;
  return `{"abridged":${cut(text)}}`;
}

/** An event as JSON: its type comes first, and stays where the rest is cut. */
export function abridgeEvent(event: { type: string }, redact: Redact): string {
  const { type, ...facts } = event;
  const text = write({ type, ...facts }, redact) ?? "{}";
  if (text.length <= largest) return text;
  return `{"type":${JSON.stringify(redact(type))},"abridged":${cut(text)}}`;
}

const cut = (text: string): string => JSON.stringify(text.slice(0, largest));

function write(value: unknown, redact: Redact): string | undefined {
  const json = new JsonText(redact);
  try {
    if (!json.value(value)) return undefined;
  } catch (error) {
    // A getter or toJSON of somebody's: what is recorded must not suffer from it, nor the recording.
    return JSON.stringify({ unreadable: redact(String(error)) });
  }
  return json.text;
}

/** Each text in a value is redacted whole before any of it is written: a cut cannot go through a secret. */
class JsonText {
  text = "";
  readonly #redact: Redact;

  constructor(redact: Redact) {
    this.#redact = redact;
  }

  /** Answers whether anything was written. */
  value(value: unknown): boolean {
    switch (typeof value) {
      case "string":
        this.text += this.#quote(value);
        return true;
      case "number":
        this.text += this.#number(value);
        return true;
      case "boolean":
        this.text += value;
        return true;
      case "bigint":
        this.text += this.#quote(String(value));
        return true;
      case "object":
        if (value === null) this.text += "null";
        else return this.#object(value as ObjectLike);
        return true;
      default:
        return false;
    }
  }

  #object(value: ObjectLike): boolean {
    if (Array.isArray(value)) this.#list(value);
    else if (isActor(value)) this.text += `{"actor":${JSON.stringify(value.sessionId)}}`;
    else if (value instanceof Error) this.#error(value);
    else if (ArrayBuffer.isView(value)) this.text += `{"bytes":${value.byteLength}}`;
    else if (typeof value.toJSON === "function") return this.value(value.toJSON(""));
    else this.#members(value);
    return true;
  }

  #error(error: Error & { code?: unknown }): void {
    this.text += `{"error":${this.#quote(error.message)}`;
    if (typeof error.code === "string") this.text += `,"code":${this.#quote(error.code)}`;
    this.text += "}";
  }

  #list(list: unknown[]): void {
    if (list.length > longestList) {
      this.text += `{"list":${list.length}}`;
      return;
    }
    this.text += "[";
    for (let at = 0; at < list.length && this.text.length <= largest; at++) {
      if (at > 0) this.text += ",";
      if (!this.value(list[at])) this.text += "null";
    }
    this.text += "]";
  }

  #members(value: ObjectLike): void {
    this.text += "{";
    let before = "";
    for (const key of Object.keys(value)) {
      if (this.text.length > largest) break;
      const start = this.text.length;
      this.text += `${before}${this.#quote(key)}:`;
      if (this.value(value[key])) before = ",";
      else this.text = this.text.slice(0, start);
    }
    this.text += "}";
  }

  /** A secret that is digits may be told as a number. */
  #number(value: number): string {
    if (!Number.isFinite(value)) return "null";
    const text = String(value);
    const redacted = this.#redact(text);
    return redacted === text ? text : JSON.stringify(redacted);
  }

  #quote(text: string): string {
    if (text.length <= looked) return JSON.stringify(this.#redact(text).slice(0, largest + 1));
    // What begins within the first characters and holds a secret, holds it within the first 64 Ki.
    const head = text.slice(0, looked);
    const redacted = this.#redact(head);
    return JSON.stringify((redacted === head ? head : this.#redact(text)).slice(0, largest + 1));
  }
}

type ObjectLike = { readonly [key: string]: unknown; readonly toJSON?: unknown };

const isActor = (value: object): value is { sessionId: string } =>
  "sessionId" in value && "getSnapshot" in value;
