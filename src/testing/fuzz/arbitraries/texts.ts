/** Texts that a schema allows: by format, by pattern, or any, with those that are known to hurt. */
import fc from "fast-check";
import type { Schema } from "../../json_schema/schema.ts";
import { isExpandable } from "../../json_schema/expand_pattern.ts";
import { fitLength, fitsStringSchema, patternOf, sampleString } from "../../json_schema/strings.ts";
import { awkwardTexts, reachingTexts } from "./awkward_texts.ts";
import { seeded } from "./seeded.ts";

/** Without a limit in the schema, texts that are drawn are this long at most; some from the list are longer. */
const longestDrawn = 60;

const [surrogates, behindSurrogates, codePoints] = [0xd800, 0xe000, 0x110000];
/** Characters as the library's unit "binary" draws them, without its table of all of them, which takes it 0.7 s. */
const character = fc.nat({ max: codePoints - behindSurrogates + surrogates - 1 }).map(
  (index) => String.fromCodePoint(index < surrogates ? index : index - surrogates + behindSurrogates),
  (text) => {
    const code = typeof text === "string" ? text.codePointAt(0) : undefined;
    if (code === undefined || text !== String.fromCodePoint(code)) throw new Error("no character");
    if (code >= surrogates && code < behindSurrogates) throw new Error("half a character");
    return code < surrogates ? code : code - behindSurrogates + surrogates;
  },
);

const twoDigits = (value: number): string => String(value).padStart(2, "0");
const time = fc.tuple(fc.nat(23), fc.nat(59), fc.nat(59)).map((parts) => parts.map(twoDigits).join(":"));
const moment = fc.date({
  min: new Date("1970-01-01T00:00:00Z"),
  max: new Date("2099-12-31T23:59:59Z"),
  noInvalidDate: true,
}).map((date) => date.toISOString());
const host = fc.domain();
/** Signs of a path or a query; the library's own need its table of all characters, which takes it a second and more. */
const urlPart = fc.string({
  unit: fc.constantFrom(..."abcxyz019-._~!$&'()*+,;=:@", "%20", "%00", "%2F", "%C3%A9", "%F0%9F%98%80"),
  maxLength: 12,
});
const address = fc.tuple(
  fc.constantFrom("https", "http"),
  host,
  fc.array(urlPart, { maxLength: 4 }),
  fc.option(urlPart, { nil: undefined }),
).map(([scheme, name, path, query]) =>
  `${scheme}://${[name, ...path].join("/")}${query === undefined ? "" : `?${query}`}`
);
const letters = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(..."abcxyz019") });

/** By `format` (JSON Schema 2020-12 §7.3, OpenAPI). */
const byFormat: Record<string, () => fc.Arbitrary<string>> = {
  "date": () => moment.map((text) => text.slice(0, 10)),
  "date-time": () => moment,
  "time": () => time.map((text) => `${text}Z`),
  "duration": () => fc.tuple(fc.nat(30), fc.nat(23)).map(([days, hours]) => `P${days}DT${hours}H`),
  "email": () => fc.emailAddress(),
  "idn-email": () => fc.emailAddress(),
  "hostname": () => host,
  "idn-hostname": () => host,
  "ipv4": () => fc.ipV4(),
  "ipv6": () => fc.ipV6(),
  "uri": () => address,
  "url": () => address,
  "iri": () => address,
  "uri-reference": () => letters.map((text) => `/${text}`),
  "iri-reference": () => letters.map((text) => `/${text}`),
  "uri-template": () => letters.map((text) => `/${text}/{id}`),
  "uuid": () => fc.uuid(),
  "regex": () => fc.constantFrom("^a$", "a*", "[a-z]+", "(a|b)"),
  "json-pointer": () => letters.map((text) => `/${text}`),
  "relative-json-pointer": () => letters.map((text) => `0/${text}`),
  "byte": () => letters.map((text) => btoa(text)),
};

export interface TextOptions {
  /** True if texts may reach out of the working folder or into a shell. */
  reaching: boolean;
}

export function textArbitrary(schema: Schema, name: string, options: TextOptions): fc.Arbitrary<string> {
  const plain = sampleString(schema, name);
  const usual = plain === undefined ? [] : [{ weight: 1, arbitrary: fc.constant(plain) }];
  const drawn = drawnTexts(schema, options);
  return fc.oneof(...usual, { weight: 6, arbitrary: drawn });
}

function drawnTexts(schema: Schema, { reaching }: TextOptions): fc.Arbitrary<string> {
  const { format, pattern, minLength = 0, maxLength = Infinity } = schema;
  if (format !== undefined && Object.hasOwn(byFormat, format)) return byFormat[format]!();
  if (pattern !== undefined) return matching(pattern, schema);
  const most = Math.min(maxLength, Math.max(longestDrawn, minLength));
  const texts = [...awkwardTexts, ...reaching ? reachingTexts : []];
  const pool = [...new Set(texts.map((text) => fitLength(text, schema)))].filter((text) =>
    fitsStringSchema(text, schema)
  );
  const longest = Math.max(most, ...pool.map((text) => text.length));
  const range = fc.string({ unit: character, minLength, maxLength: longest });
  const drawn = (unit: "grapheme-ascii" | fc.Arbitrary<string>) =>
    fc.string({ unit, minLength, maxLength: most, size: "max" });
  const shrinking = { range, first: (text: string) => singles(text, minLength) };
  const ascii = seeded([], drawn("grapheme-ascii"), shrinking);
  return fc.oneof(ascii, { weight: 2, arbitrary: seeded(pool, drawn(character), shrinking) });
}

/** Often one character does it: nothing, and each of the text alone, those that are no letters first. */
function singles(text: string, minLength: number): string[] {
  const signs = [...new Set(text)];
  if (minLength > 1 || text === "" || (signs.length === 1 && text === signs[0])) return [];
  const plain = /^[\p{L}\p{N}]$/u;
  return ["", ...signs.toSorted((a, b) => Number(plain.test(a)) - Number(plain.test(b))).slice(0, 80)];
}

/** fast-check reads most patterns; for the others there are the samples that generated tests use. */
function matching(pattern: string, schema: Schema): fc.Arbitrary<string> {
  const expression = patternOf(pattern);
  const sample = fc.constant(sampleString(schema, "") ?? "");
  if (expression === undefined || isExpandable(pattern) === false) return sample;
  try {
    const { maxLength } = schema;
    return fc.stringMatching(expression, maxLength === undefined ? {} : { maxLength });
  } catch {
    // Look-around and the like: the library says so by throwing, and the sample stands in.
    return sample;
  }
}
