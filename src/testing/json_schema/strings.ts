/** Texts that fit a schema and read like what the property's name says. Safe to use: relative, small, example domains. */
import { bounded } from "../../platform/bounded.ts";
import { expandPattern } from "./expand_pattern.ts";
import type { Schema } from "./schema.ts";
import { trackedPatterns } from "../../client/schema_problems.ts";
import { describedValues } from "./described_values.ts";
import { isRun, laterAtEnd, namedValues } from "./named_values.ts";
import { type InputHints, pathValue } from "./path_values.ts";

/** Values by `format` (JSON Schema 2020-12 §7.3, OpenAPI). */
const byFormat: Record<string, string> = {
  "date": "2024-01-15",
  "date-time": "2024-01-15T10:30:00Z",
  "time": "10:30:00Z",
  "duration": "P1D",
  "email": "user@example.com",
  "idn-email": "user@example.com",
  "hostname": "example.com",
  "idn-hostname": "example.com",
  "ipv4": "192.0.2.1",
  "ipv6": "2001:db8::1",
  "uri": "https://example.com/",
  "url": "https://example.com/",
  "iri": "https://example.com/",
  "uri-reference": "/example",
  "iri-reference": "/example",
  "uri-template": "/example/{id}",
  "uuid": "123e4567-e89b-42d3-a456-426614174000",
  "regex": "^example$",
  "json-pointer": "/example",
  "relative-json-pointer": "0/example",
  "byte": "ZXhhbXBsZQ==",
  "binary": "example",
  "password": "example-Passw0rd",
};

/** A text for a property of this name; undefined when none that fits was found. */
export function sampleString(
  schema: Schema,
  name: string,
  { description, hints = {} }: { description?: unknown; hints?: InputHints } = {},
): string | undefined {
  const { format, pattern } = schema;
  const about = schema.description ?? description;
  const likely = likelyValues(name, about, hints);
  const formatted = format !== undefined && Object.hasOwn(byFormat, format) ? [byFormat[format]!] : [];
  const plain = [...likely.filter((text) => text.startsWith("data:")), ...formatted, ...likely, "example"];
  const fitting = plain.map((text) => fitLength(laterAtEnd(name, text), schema)).find((text) =>
    fitsStringSchema(text, schema)
  );
  return fitting ?? (pattern === undefined ? undefined : fromPattern(pattern, schema));
}

/** Texts that names and descriptions speak for. A path of PTH's own is there, and that of an example is not. */
function likelyValues(name: string, about: unknown, hints: InputHints): string[] {
  const named = namedValues(name, about, hints);
  // What lies in an example file goes by what that holds.
  const isInFile = named[0] === "A1:A1";
  if (isRun(name) || isInFile || pathValue(name, about, hints) !== undefined) return named;
  return [...describedValues(about), ...named];
}

const lengthOf = (text: string): number => [...text].length;

/** Whether a text obeys length and pattern (not `format`, which the validator knows). @throws {OutOfTime} */
export function fitsStringSchema(
  text: string,
  { minLength = 0, maxLength = Infinity, pattern }: Schema,
): boolean {
  const length = lengthOf(text);
  return length >= minLength && length <= maxLength &&
    (pattern === undefined || matchesPattern(pattern, text) === true);
}

/** Undefined for a pattern that cannot be read. @throws {OutOfTime} */
function matchesPattern(pattern: string, text: string): boolean | undefined {
  const expression = patternOf(pattern);
  return expression && bounded(() => trackedPatterns(expression.source, expression.flags).test(text));
}

/** A pattern as JSON Schema reads it (Unicode), or as written where only that compiles. */
export function patternOf(pattern: string): RegExp | undefined {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // The next way to read it; a pattern that cannot be read at all is the schema's fault, and lint says so.
    }
  }
  return undefined;
}

/** Cut or filled up to the allowed length. */
export function fitLength(text: string, { minLength = 0, maxLength = Infinity }: Schema): string {
  const filled = lengthOf(text) < minLength
    ? text + "x".repeat(Math.min(minLength, 100_000) - lengthOf(text))
    : text;
  return lengthOf(filled) > maxLength ? [...filled].slice(0, maxLength).join("") : filled;
}

const attempts = 40;

/** A text that matches a pattern and the lengths, the same one every time. */
function fromPattern(pattern: string, schema: Schema): string | undefined {
  // The library takes group names and Unicode classes for text; both have a plain way to be written.
  const plain = pattern.replace(/\(\?<[A-Za-z]\w*>/g, "(?:")
    .replace(/\\p\{(?:Lu|Uppercase)\}/g, "A")
    .replace(/\\p\{(?:L|Ll|Letter|Alphabetic|Lowercase)\}/g, "a")
    .replace(/\\p\{(?:N|Nd|Number)\}/g, "1");
  for (let attempt = 0; attempt < attempts; attempt++) {
    const text = expand(plain, attempt, schema);
    if (text !== undefined && fitsStringSchema(text, schema)) return text;
  }
  return undefined;
}

/** Attempt 0 takes the first choice everywhere, the last one the last; those between vary by a fixed sequence. */
function expand(pattern: string, attempt: number, { minLength = 0 }: Schema): string | undefined {
  let state = attempt * 7919 + 1;
  return expandPattern(pattern, {
    repetitions: attempt < 20 ? Math.min(Math.max(3, minLength), 100_000) : 3 + attempt,
    choose(low, high) {
      if (attempt === 0) return low;
      if (attempt === attempts - 1) return high;
      state = (state * 48271) % 0x7fffffff;
      return low + (state % (high - low + 1));
    },
  });
}

/** A text of allowed length that does not match a pattern; undefined when everything seems to match. */
export function breakPattern(
  pattern: string,
  { minLength = 0, maxLength = Infinity }: Schema,
): string | undefined {
  return ["~ ~ ~", "~", "", "Ä Ö 0 !", "0", "a"]
    .map((text) => fitLength(text, { minLength, maxLength }))
    .find((text) => matchesPattern(pattern, text) === false);
}
