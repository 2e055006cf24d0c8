/**
 * The quick way to read YAML and JSON: values of the simple texts that nearly all files are, in a small part of the time
 * and memory that a parser of the whole language takes. It knows block maps and lists, flow collections on one line,
 * scalars on one line, literal blocks and comments. Where a text holds anything else (a mistake, an anchor, a tag, a
 * folded text, more than a limit) it gives up, and `readSource` reads the text with the parser. Where it does not, both
 * ways give the same values.
 */
import { giveUp, notSimple, plainValue, simpleKey } from "./plain_value.ts";
import { QuickFlow, type QuickLimits } from "./quick_flow.ts";

/** A document, and where its maps and lists start. */
export interface QuickDocument {
  value: object;
  /** Offsets in the text. */
  starts: ReadonlyMap<object, number>;
}

/**
 * Reads all documents, those that are empty left out. Undefined where a text is not simple.
 * @param asJson The text must be one value of JSON, whose collections may go over several lines.
 */
export function quickDocuments(
  text: string,
  asJson: boolean,
  limits: QuickLimits,
): QuickDocument[] | undefined {
  if (!asJson && strange.test(text)) return undefined;
  try {
    const reader = new QuickReader(text, asJson, limits);
    return asJson ? reader.json() : reader.yaml();
  } catch (error) {
    if (error === notSimple) return undefined;
    throw error;
  }
}

/** Control characters, tabs among them, and the mark of byte order. */
const strange = /[^\n\u0020-\ufefe\uff00-\uffff]/;
/** Stands for the indentation of what follows where a document ends. */
const ended = -1;

class QuickReader extends QuickFlow {
  /** Indentation, in spaces, of the line at which the reader stands. */
  #indent = 0;

  json(): QuickDocument[] {
    this.flowSpace();
    const value = this.flow();
    this.flowSpace();
    if (this.at < this.text.length || this.tokens > this.limits.tokens) giveUp();
    return [this.#document(value)];
  }

  yaml(): QuickDocument[] {
    const documents: QuickDocument[] = [];
    this.#toContent();
    while (this.at < this.text.length) {
      if (this.#indent === ended) {
        this.at += 3;
        this.tokens++;
        this.#endLine();
        continue;
      }
      this.values = 0;
      this.starts = new Map();
      documents.push(this.#document(this.#node(this.#indent, -1)));
      if (this.#indent !== ended) giveUp();
    }
    if (this.tokens > this.limits.tokens) giveUp();
    return documents;
  }

  #document(value: unknown): QuickDocument {
    if (typeof value !== "object" || value === null) return giveUp();
    return { value, starts: this.starts };
  }

  get #isItem(): boolean {
    return this.char() === "-" && this.isBlank(this.at + 1);
  }

  get #isLineEnd(): boolean {
    const char = this.char();
    return char === "\n" || char === "#" || char === undefined;
  }

  /** Goes over a comment and the end of the line; false where something else stands here. */
  #toNextLine(): boolean {
    if (this.char() === "#") {
      const end = this.text.indexOf("\n", this.at);
      this.at = end === -1 ? this.text.length : end;
      this.tokens++;
    }
    if (this.at >= this.text.length) return true;
    if (this.char() !== "\n") return false;
    this.at++;
    this.tokens++;
    return true;
  }

  /** From the start of a line to the next content, over blank lines and comments. */
  #toContent(): void {
    do this.#indent = this.spaces(); while (this.at < this.text.length && this.#toNextLine());
    if (this.at >= this.text.length) this.#indent = ended;
    if (this.#indent !== 0) return;
    const first = this.text.slice(this.at, this.at + 3);
    if (first === "---" && this.isBlank(this.at + 3)) this.#indent = ended;
    // A directive, or the end of a document.
    else if (first === "..." || first.startsWith("%")) giveUp();
  }

  /** From the end of a value to the next content. */
  #endLine(): void {
    if (this.spaces() === 0 && this.char() === "#") giveUp();
    if (!this.#toNextLine()) giveUp();
    this.#toContent();
  }

  /**
   * Reads a block collection that starts here, or a value on one line.
   * @param column Of the first character
   * @param parent Indentation of what holds the value; a line that is deeper would go on with it
   */
  #node(column: number, parent: number): unknown {
    if (this.#isItem) return this.#list(column);
    const offset = this.at;
    const key = this.#key();
    return key === undefined ? this.#inline(parent) : this.#map(column, key, offset);
  }

  #list(column: number): unknown[] {
    const list = this.begin<unknown[]>([]);
    do {
      this.at++;
      this.tokens++;
      const gap = this.spaces();
      list.push(this.#isLineEnd ? this.#below(column) : this.#node(column + 1 + gap, column));
    } while (this.#indent === column && this.#isItem);
    if (this.#indent > column) giveUp();
    return this.end(list);
  }

  /** Reads a value that starts on a later line, deeper than what holds it. */
  #below(column: number, mayBeLevel = false): unknown {
    if (!this.#toNextLine()) giveUp();
    this.#toContent();
    if (this.#indent > column) return this.#node(this.#indent, column);
    // A list may stand as deep as the key that it belongs to.
    return mayBeLevel && this.#indent === column && this.#isItem ? this.#list(column) : giveUp();
  }

  /** @param first The key that was read to find that this is a map */
  #map(column: number, first: string, offset: number): Record<string, unknown> {
    const map = this.begin<Record<string, unknown>>({}, offset);
    for (let key: string | undefined = first;; key = this.#key()) {
      if (key === undefined || Object.hasOwn(map, key)) return giveUp();
      this.count(2);
      this.spaces();
      map[key] = this.#isLineEnd ? this.#below(column, true) : this.#inline(column);
      if (this.#indent > column) giveUp();
      if (this.#indent < column) return this.end(map);
    }
  }

  /** Reads a key of a block map, with its colon; stays where there is none. */
  #key(): string | undefined {
    const offset = this.at;
    const quote = this.char();
    const isQuoted = quote === '"' || quote === "'";
    const text = isQuoted ? this.quoted(quote) : this.plain();
    if (text === undefined || this.char() !== ":" || !this.isBlank(this.at + 1)) {
      this.at = offset;
      return undefined;
    }
    this.at++;
    this.tokens += isQuoted ? 2 : 3;
    return simpleKey(isQuoted ? text : plainValue(text));
  }

  /** Reads what is no block collection. */
  #inline(parent: number): unknown {
    if (this.char() === "|") return this.#literal(parent);
    const value = this.flow();
    this.#endLine();
    return value;
  }

  /** Reads a literal block: `|`, or `|-`, which drops the last newline. */
  #literal(parent: number): string {
    const text = this.text;
    const drops = this.char(1) === "-";
    this.at += drops ? 2 : 1;
    if (this.char() !== "\n") giveUp();
    this.at++;
    this.count(1);
    this.tokens += 4;
    const indent = this.#indentHere();
    if (indent <= parent || this.isBlank(this.at + indent)) giveUp();
    const lines: string[] = [];
    /** Lines up to the last that is not blank. */
    let full = 0;
    while (this.at < text.length) {
      const end = text.indexOf("\n", this.at);
      const own = this.#indentHere();
      // Whether spaces of a blank line belong to the text depends on their number.
      if (end === -1 || (own > 0 && this.at + own === end)) giveUp();
      if (own < indent && this.at < end) break;
      lines.push(text.slice(this.at + indent, end));
      if (this.at < end) full = lines.length;
      this.at = end + 1;
    }
    this.tokens += lines.length - full;
    this.#toContent();
    return lines.slice(0, full).join("\n") + (drops ? "" : "\n");
  }

  #indentHere(): number {
    let at = this.at;
    while (this.text[at] === " ") at++;
    return at - this.at;
  }
}
