import { expandPattern } from "../../json_schema/expand_pattern.ts";
import { bounded } from "../../../platform/bounded.ts";
import { withValue } from "../attempt.ts";
import { namedPlaces } from "../named_places.ts";
import { defineRepair } from "../repair.ts";

const webToken = [{ alg: "HS256", typ: "JWT" }, { sub: "example" }, "signature"]
  .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");

/** Forms that are written in letters, as refusals name them. */
const lettered: readonly (readonly [RegExp, string])[] = [
  [/YYYY-MM-DD[T ]HH:mm(?::ss)?(?:\.sss)?Z?/i, "2030-01-15T10:30:00Z"],
  [/YYYY-MM-DD/i, "2030-01-15"],
  [/\bMM\/DD\/YYYY\b/i, "01/15/2030"],
  [/\bDD\/MM\/YYYY\b/i, "15/01/2030"],
  [/\bYYYY-MM\b/i, "2030-01"],
  [/\bHH:mm:ss\b/i, "10:30:00"],
  [/\bHH:mm\b/i, "10:30"],
  [/\bISO[- ]?8601\b|\bISO (?:date|format|string)/i, "2030-01-15T10:30:00Z"],
  [/\bRFC ?3339\b/i, "2030-01-15T10:30:00Z"],
  [/\bUUIDs?\b/i, "123e4567-e89b-42d3-a456-426614174000"],
  [/\be-?mail\b/i, "user@example.com"],
  [/\bhttps?:\/\/|\bvalid URL\b/i, "https://example.com/"],
  [/\bJSON\b[^\n]{0,80}\barray of objects\b|\barray of JSON objects\b/i, '[{"name":"example","value":1}]'],
  [/\bJSON array\b|\bJSON\b[^\n]{0,80}\b(?:array|list|sequence)\b/i, '["example"]'],
  [/\b(?:valid|invalid|malformed|parse|parsing)\b[^\n]{0,40}\bJSON\b/i, '{"name":"example","value":1}'],
  [/\bJWTs?\b|\bJSON web token/i, webToken],
  [/\bhex(?:adecimal)? colou?r\b|#RRGGBB/i, "#336699"],
  [/\bsemver\b|\bsemantic version/i, "1.0.0"],
  [/\bIANA\b|\btime ?zone/i, "UTC"],
  [/\bbase64\b/i, "ZXhhbXBsZQ=="],
];

const example =
  /\b(?:e\.g\.,?|for example,?|for instance,?|example:?|examples:|such as|like|looks like|as in)\s*:?\s*(?:["'`]([^"'`\n]{1,200})["'`]|([^\s"'`,;()]{1,200}))/gi;
const expected =
  /\b(?:expected|format|form|pattern|starts? with|prefix(?:ed with)?)\b:?\s*["'`]([^"'`\n]{1,100})["'`]/gi;
const pattern =
  /\/(\^[^\n]{1,200}?\$?)\/|\b(?:pattern|regex|match(?:es)?|expression)\b:?\s*["'`]?(\^[^\s"'`]{1,200})/i;

const mostForms = 5;

export default defineRepair({
  name: "shown_form",
  summary: "`expected YYYY-MM-DD, e.g. 2030-01-15`: the example, form or pattern of the refusal is followed",
  rank: 6,
  repair({ attempt, places, words }) {
    const forms = shownForms(words).slice(0, mostForms);
    if (forms.length === 0) return [];
    const texts = places.filter(({ value }) => typeof value === "string");
    const named = namedPlaces(words, texts);
    return (named.length > 0 ? named : texts).slice(0, 3).flatMap(({ path, value }) =>
      forms.flatMap((form) => form === value ? [] : [withValue(attempt, path, form)])
    );
  },
});

/** Values that a refusal shows or describes, the plainest first. */
export function shownForms(words: string): string[] {
  const named = lettered.filter(([sign]) => sign.test(words)).map(([, value]) => value);
  const isShown = (form: string) => named.length === 0 || !/[YMDHms]{2}/.test(form);
  const shown = [...words.matchAll(example)].map(([, quoted, plain = ""]) =>
    quoted ?? plain.replace(/[.:!?)]+$/, "")
  ).filter(isShown);
  const [, slashed, spoken] = pattern.exec(words) ?? [];
  const source = slashed ?? spoken?.replace(/[.,;)]+$/, "");
  const expanded = source === undefined ? [] : patternValue(source);
  const quoted = [...words.matchAll(expected)].map(([, form]) => form!).filter(isShown);
  return [...new Set([...expanded, ...shown, ...named, ...quoted])].filter((form) => form !== "");
}

function patternValue(source: string): string[] {
  try {
    const value = bounded(() => expandPattern(source, { repetitions: 3, choose: (low) => low }));
    return value === undefined ? [] : [value];
  } catch {
    // A server's words may look like a pattern and be none.
    return [];
  }
}
