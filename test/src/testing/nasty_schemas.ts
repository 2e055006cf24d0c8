/** Schemas that make life hard for a generator, by name; those in `impossible` allow no input that could be found. */
const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  ...more,
});
const text = (pattern: string, more: Record<string, unknown> = {}) => ({ type: "string", pattern, ...more });
const formats = [
  "date",
  "date-time",
  "time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uri",
  "uri-reference",
  "uuid",
  "regex",
  "json-pointer",
];

export const nasty: Record<string, unknown> = {
  empty: {},
  nothing: { type: "object" },
  patterns: object({
    sku: text("^[A-Z]{2}-\\d{4}$"),
    version: text("^v?(\\d+)\\.(\\d+)(\\.\\d+)?$", { minLength: 8 }),
    lookahead: text("^(?=.*\\d)(?=.*[a-z]).{8,}$"),
    hex: text("^#(?:[0-9a-f]{3}){1,2}$"),
    unicode: text("^\\p{Lu}\\p{L}+$"),
    named: text("^(?<year>\\d{4})-(?<month>\\d{2})$"),
    slug: text("^[a-z0-9]+(?:-[a-z0-9]+)*$", { maxLength: 5 }),
  }),
  formats: object(Object.fromEntries(formats.map((format) => [format, { type: "string", format }]))),
  lengths: object({
    long: { type: "string", minLength: 200, maxLength: 300 },
    short: { type: "string", maxLength: 2 },
  }),
  numbers: object({
    step: { type: "integer", exclusiveMinimum: 3, multipleOf: 5 },
    narrow: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 0.1 },
    any: { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 },
    cents: { type: "number", multipleOf: 0.01, minimum: 1.25 },
    negative: { type: "integer", maximum: -5 },
  }),
  arrays: object({
    unique: { type: "array", items: { enum: ["a", "b", "c"] }, minItems: 2, uniqueItems: true },
    tuple: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false },
    contains: {
      type: "array",
      items: { type: "integer" },
      contains: { type: "integer", minimum: 5 },
      minItems: 2,
    },
    names: { type: "array", items: { type: "string" }, minItems: 3, maxItems: 5, uniqueItems: true },
    draft7: { type: "array", items: { type: "boolean" } },
  }),
  oldTuple: object({ pair: { type: "array", items: [{ type: "string" }, { type: "number" }] } }),
  union: {
    type: "object",
    oneOf: [
      { properties: { kind: { const: "a" }, x: { type: "number" } }, required: ["kind", "x"] },
      { properties: { kind: { const: "b" }, y: { type: "string" } }, required: ["kind", "y"] },
    ],
  },
  tree: {
    ...object({ node: { $ref: "#/$defs/node" } }),
    $defs: {
      node: {
        type: "object",
        properties: {
          name: { type: "string" },
          children: { type: "array", items: { $ref: "#/$defs/node" } },
          parent: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] },
        },
        required: ["name", "children"],
      },
    },
  },
  allOf: object({ word: { allOf: [{ type: "string", minLength: 3 }, { maxLength: 5 }] } }),
  nullable: object({
    a: { type: "string", nullable: true },
    b: { type: ["integer", "null"] },
    c: { anyOf: [{ type: "null" }, { type: "string", enum: ["x", "y"] }] },
  }),
  record: object({
    map: {
      type: "object",
      additionalProperties: { type: "integer" },
      minProperties: 2,
      propertyNames: { pattern: "^[a-z]+$" },
    },
  }, { additionalProperties: false }),
  constants: object({ mode: { anyOf: [{ const: "fast" }, { const: "slow" }] } }),
  dependent: { ...object({ a: { type: "string" } }), dependentRequired: { a: ["b"] } },
  anything: object({ any: {} }),
  reference: object({ home: { type: "string", default: "${env:HOME}" } }),
  badDefault: object({ count: { type: "integer", default: "many" } }),
  defaults: { type: "object", properties: { limit: { type: "integer", default: 20, examples: [5] } } },
};

export const impossible: Record<string, unknown> = {
  forever: {
    ...object({ next: { $ref: "#/$defs/next" } }),
    $defs: { next: object({ next: { $ref: "#/$defs/next" } }) },
  },
  contradiction: object({ a: text("^a$", { minLength: 5 }) }),
  elsewhere: object({ a: { $ref: "#/$defs/gone" } }),
  noType: object({ a: { type: "strin" } }),
};
