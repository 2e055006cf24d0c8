/** Scalars of YAML in the quick way of reading: plain ones by the core schema, quoted ones by their escapes. */

/** Thrown where a text is not simple: whoever reads quickly gives up. */
export const notSimple = new Error("the text is not simple");

export const giveUp = (): never => {
  throw notSimple;
};

/** First characters of scalars that may be something else than a text. */
const mayBeOther = /^[-+.0-9~nNtTfF]/;
const integer = /^[-+]?[0-9]+$/;
const decimal = /^[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+)$/;
/** Numbers in other bases, infinity, and what is no number: rare. */
const rare = /^(?:0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;
const words = new Map<string, boolean | null>([
  ...["~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...["true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE"].map((word) => [word, false] as const),
]);

/** The value of a plain scalar. */
export function plainValue(text: string): string | number | boolean | null {
  if (!mayBeOther.test(text)) return text;
  const word = words.get(text);
  if (word !== undefined) return word;
  if (integer.test(text)) return parseInt(text, 10);
  if (decimal.test(text)) return parseFloat(text);
  return rare.test(text) ? giveUp() : text;
}

/** The text of a scalar, given with its single quotes. */
export const singleQuoted = (text: string): string => text.slice(1, -1).replaceAll("''", "'");

/** The text of a scalar, given with its double quotes, whose escapes are those of JSON; YAML has more. */
export function doubleQuoted(text: string): string {
  if (!text.includes("\\")) return text.slice(1, -1);
  try {
    return JSON.parse(text) as string;
  } catch (_otherEscape) {
    return giveUp();
  }
}

/** Longest key; the parser refuses those of 1,024 characters. */
const longestKey = 500;

/** Refuses keys with a meaning of their own, in YAML or in JavaScript. */
export const simpleKey = (key: string | number | boolean | null): string =>
  typeof key !== "string" || key.length > longestKey || key === "<<" || key === "__proto__" ? giveUp() : key;
