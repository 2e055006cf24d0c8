/** Reads what stands on one line of YAML, and JSON: scalars and flow collections. It throws `notSimple` to give up. */
import { doubleQuoted, giveUp, plainValue, simpleKey, singleQuoted } from "./plain_value.ts";

/** Limits of `readSource`; a text that may be beyond one is not read the quick way. */
export interface QuickLimits {
  /** Tokens of the parser's lexer, of the whole text. */
  tokens: number;
  /** Values of one document: each map, list, pair and scalar is one. */
  values: number;
  depth: number;
}

/** First character of a plain scalar; a dash is one, too, where no space follows. */
const plainStart = /[^\n ?:,[\]{}#&*!|>'"%@`-]/;
const jsonLiteral = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null)(?=[ \n\r\t,\]}]|$)/y;

const isFlowMark = (char: string | undefined): boolean => char !== undefined && ",[]{}".includes(char);

export class QuickFlow {
  protected readonly text: string;
  readonly #asJson: boolean;
  protected readonly limits: QuickLimits;
  protected at = 0;
  /** Count of the lexer's tokens so far, or some more; the first stands for the documents. */
  protected tokens = 1;
  protected values = 0;
  #depth = 0;
  #flowDepth = 0;
  protected starts = new Map<object, number>();

  constructor(text: string, asJson: boolean, limits: QuickLimits) {
    this.text = text;
    this.#asJson = asJson;
    this.limits = limits;
  }

  /** The character here, or behind here. */
  protected char(ahead = 0): string | undefined {
    return this.text[this.at + ahead];
  }

  /** Whether a space, a newline or the end of the text stands somewhere. */
  protected isBlank(offset: number): boolean {
    const char = this.text[offset];
    return char === " " || char === "\n" || char === undefined;
  }

  /** Goes over spaces, and returns their number. */
  protected spaces(): number {
    const from = this.at;
    while (this.char() === " ") this.at++;
    if (this.at > from) this.tokens++;
    return this.at - from;
  }

  /** Counts a collection, and goes a level deeper. */
  protected begin<Collection extends object>(collection: Collection, offset = this.at): Collection {
    this.starts.set(collection, offset);
    this.#depth++;
    this.count(1);
    return collection;
  }

  protected end<Collection extends object>(collection: Collection): Collection {
    this.#depth--;
    return collection;
  }

  protected count(values: number): void {
    this.values += values;
    if (this.values > this.limits.values || this.#depth > this.limits.depth) giveUp();
  }

  /** Reads a flow collection or a scalar on one line. */
  protected flow(): unknown {
    const char = this.char();
    if (char === "[") return this.#flowList();
    if (char === "{") return this.#flowMap();
    this.count(1);
    if (char === '"' || (char === "'" && !this.#asJson)) {
      this.tokens++;
      return this.quoted(char);
    }
    this.tokens += 2;
    const text = this.#asJson ? this.#jsonLiteral() : this.plain();
    return text === undefined ? giveUp() : plainValue(text);
  }

  #flowList(): unknown[] {
    const list = this.begin<unknown[]>([]);
    if (this.#opens("]")) { do list.push(this.flow()); while (this.#goesOn("]")); }
    return this.end(list);
  }

  #flowMap(): Record<string, unknown> {
    const map = this.begin<Record<string, unknown>>({});
    if (!this.#opens("}")) return this.end(map);
    do {
      const key = this.#flowKey();
      if (Object.hasOwn(map, key)) giveUp();
      this.count(2);
      map[key] = this.flow();
    } while (this.#goesOn("}"));
    return this.end(map);
  }

  /** Goes over the start of a flow collection, and of one that is empty over its end; false for that. */
  #opens(close: string): boolean {
    this.at++;
    this.#flowDepth++;
    this.tokens++;
    this.flowSpace();
    return this.char() !== close || this.#closes();
  }

  /** Goes over a comma to the next entry, or over the end of the collection. */
  #goesOn(close: string): boolean {
    this.flowSpace();
    if (this.char() === close) return this.#closes();
    if (this.char() !== ",") giveUp();
    this.at++;
    this.tokens++;
    this.flowSpace();
    return true;
  }

  #closes(): false {
    this.at++;
    this.#flowDepth--;
    this.tokens++;
    return false;
  }

  protected flowSpace(): void {
    if (!this.#asJson) return void this.spaces();
    let before: string | undefined;
    while (true) {
      const char = this.char();
      // To YAML, a carriage return alone is no space.
      if (char === "\r" ? this.char(1) !== "\n" : char !== " " && char !== "\n" && char !== "\t") return;
      // A run of spaces, a newline and a run of tabs are a token each.
      if (char !== before || char === "\n") this.tokens++;
      before = char;
      this.at++;
    }
  }

  /** Reads a key of a flow map, with its colon. */
  #flowKey(): string {
    const quote = this.char();
    const isQuoted = quote === '"' || (quote === "'" && !this.#asJson);
    if (!isQuoted && this.#asJson) giveUp();
    const text = isQuoted ? this.quoted(quote) : this.plain();
    if (this.#asJson) this.flowSpace();
    // Behind a plain key a colon without a space would belong to it.
    if (text === undefined || this.char() !== ":" || (!isQuoted && this.char(1) !== " ")) return giveUp();
    this.at++;
    this.tokens += isQuoted ? 2 : 3;
    this.flowSpace();
    return simpleKey(isQuoted ? text : plainValue(text));
  }

  /** Reads a number, a boolean or null of JSON. */
  #jsonLiteral(): string | undefined {
    jsonLiteral.lastIndex = this.at;
    const [text] = jsonLiteral.exec(this.text) ?? [];
    this.at += text?.length ?? 0;
    return text;
  }

  /** Reads the text of a plain scalar: up to a colon, a comment, the end of its line or of its part of a collection. */
  protected plain(): string | undefined {
    const text = this.text;
    const from = this.at;
    const inFlow = this.#flowDepth > 0;
    const starts = this.char() === "-"
      ? !this.isBlank(from + 1) && !isFlowMark(text[from + 1])
      : plainStart.test(text.charAt(from));
    if (!starts) return undefined;
    /** Behind the last character that is no space. */
    let end = from;
    for (let at = from; at < text.length; at++) {
      const char = text[at];
      if (char === "\n" || (inFlow && isFlowMark(char))) break;
      if (char === ":" && (this.isBlank(at + 1) || (inFlow && isFlowMark(text[at + 1])))) break;
      if (char === "#" && at > end) break;
      if (char !== " ") end = at + 1;
    }
    this.at = end;
    return text.slice(from, end);
  }

  /** Reads a text in quotes that ends on its line. */
  protected quoted(quote: string): string {
    const text = this.text;
    const from = this.at;
    for (let at = from + 1; at < text.length; at++) {
      const char = text[at]!;
      if (char < " ") return giveUp();
      if (char === "\\" && quote === '"') at++;
      else if (char === quote) {
        if (quote === "'" && text[at + 1] === "'") at++;
        else {
          this.at = at + 1;
          const whole = text.slice(from, this.at);
          return quote === "'" ? singleQuoted(whole) : doubleQuoted(whole);
        }
      }
    }
    return giveUp();
  }
}
