/** Walks along the bytes of a line of JSON. What is not as expected is said, never mended. */
import { Buffer } from "node:buffer";

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const point = 0x2e;
const openingBrace = 0x7b;
const openingBracket = 0x5b;
const closingBrace = 0x7d;
const closingBracket = 0x5d;

/** Bytes to compare with; ASCII only. */
export const asciiBytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

const [quoteSign, colonSign, commaSign] = [asciiBytes('"'), asciiBytes(":"), asciiBytes(",")];

export class LineCursor {
  bytes: Uint8Array = new Uint8Array();
  /** The next byte to look at. */
  at = 0;
  /** Just after the line. */
  end = 0;
  /** Range of the value that was passed last. */
  from = 0;
  to = 0;

  begin(bytes: Uint8Array, start: number, end: number): void {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  /** Walks over these bytes, where they come next. */
  over(expected: Uint8Array): boolean {
    const { bytes, at } = this;
    for (let place = 0; place < expected.length; place++) {
      if (bytes[at + place] !== expected[place]) return false;
    }
    this.at = at + expected.length;
    return this.at <= this.end;
  }

  /** Within an object, from before a key: walks to just after this key, `"name":`; false where it does not come. */
  member(key: Uint8Array): boolean {
    while (!this.over(key)) {
      const passed = this.over(quoteSign) && this.plainText() && this.over(colonSign) && this.value() &&
        this.over(commaSign);
      if (!passed) return false;
    }
    return true;
  }

  /** True where this text comes anywhere in what is left. */
  has(text: string): boolean {
    const { buffer, byteOffset } = this.bytes;
    return Buffer.from(buffer, byteOffset + this.at, this.end - this.at).toString("latin1").includes(text);
  }

  /** A number of digits, with a point among them or none; NaN for others, and for more digits than are exact. */
  number(): number {
    const { bytes, end, at: start } = this;
    let digits = 0;
    let scale = 0;
    let at = start;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === point && scale === 0) scale = 1;
      else if (byte < 0x30 || byte > 0x39) break;
      else {
        digits = digits * 10 + byte - 0x30;
        scale *= 10;
      }
    }
    this.at = at;
    if (at === start || digits > Number.MAX_SAFE_INTEGER) return NaN;
    return scale === 0 ? digits : digits / scale;
  }

  /** A text whose first quote is passed, up to and over its last one; false where it has escapes. */
  plainText(): boolean {
    const { bytes, end } = this;
    this.from = this.at;
    for (let at = this.at; at < end; at++) {
      const byte = bytes[at];
      if (byte === backslash) return false;
      if (byte !== quote) continue;
      this.to = at;
      this.at = at + 1;
      return true;
    }
    return false;
  }

  /** Any value; false where it does not end. */
  value(): boolean {
    const { bytes, end } = this;
    this.from = this.at;
    let depth = 0;
    for (let at = this.at; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === quote) at = this.#endOfText(at + 1);
      else if (byte === openingBrace || byte === openingBracket) depth++;
      else if (byte === closingBrace || byte === closingBracket) depth--;
      // The comma after a plain value, or the end of what holds it.
      if (depth < 0 || (depth === 0 && byte === comma)) return this.#passed(at);
      if (depth === 0 && (byte === closingBrace || byte === closingBracket || byte === quote)) {
        return this.#passed(at + 1);
      }
    }
    return false;
  }

  #passed(at: number): boolean {
    this.to = at;
    this.at = at;
    return at <= this.end;
  }

  #endOfText(start: number): number {
    const { bytes, end } = this;
    for (let at = start; at < end; at++) {
      if (bytes[at] === quote) return at;
      if (bytes[at] === backslash) at++;
    }
    return end;
  }
}
