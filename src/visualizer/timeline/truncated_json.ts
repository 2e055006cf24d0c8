/** Reads truncated JSON: recordings cut large events and contexts. */
import { isObject } from "../../core/values.ts";

/**
 * The value as far as it goes: what is complete, in what was begun. Undefined where nothing is.
 *
 * @example `parseBegun('{"a":{"b":1,"c":"te')` is `{ a: { b: 1 } }`
 */
export function parseTruncatedJson(text: string): unknown {
  if (text.startsWith('"')) return begunString(text);
  const open: string[] = [];
  let whole = "";
  let kept = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') at = endOfString(text, at);
    else if (character === "{" || character === "[") {
      open.push(character === "{" ? "}" : "]");
      [kept, whole] = [at + 1, open.toReversed().join("")];
    } else if (character === "}" || character === "]") {
      open.pop();
      [kept, whole] = [at + 1, open.toReversed().join("")];
    } else if (character === ",") [kept, whole] = [at, open.toReversed().join("")];
  }
  return kept === 0 ? undefined : JSON.parse(text.slice(0, kept) + whole);
}

/** The quote that ends the string that begins here; the text's end where it is cut off. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

/** Text up to its last whole escape, with an ellipsis. */
const begunString = (text: string): string =>
  JSON.parse(`${/^"(?:[^"\\]|\\(?:u[0-9a-fA-F]{4}|[^u]))*/.exec(text)![0]}…"`);

/** An event or context, and each of its members, with what was cut off left out; what was not cut as it is. */
export function expandTruncated(value: unknown): unknown {
  if (!isObject(value)) return value;
  const whole = uncut(value);
  if (!isObject(whole)) return whole;
  return Object.fromEntries(Object.entries(whole).map(([key, member]) => [key, uncut(member)]));
}

function uncut(value: unknown): unknown {
  if (!isObject(value) || typeof value["abridged"] !== "string") return value;
  try {
    return parseTruncatedJson(value["abridged"]) ?? value;
  } catch (error) {
    // What takes a secret's place may have broken the JSON; then its text is all there is.
    if (error instanceof SyntaxError) return value;
    throw error;
  }
}
