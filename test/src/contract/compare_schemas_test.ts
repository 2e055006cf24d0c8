/** What a change of a schema means to those who send values and to those who read them. */
import t from "tap";
import { compareSchemas } from "../../../src/contract/compare_schemas.ts";
import { type SchemaRole, withImpact } from "../../../src/contract/schema_changes.ts";

type Case = [what: string, before: unknown, after: unknown, input: string[], output: string[]];

const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: "object",
  properties,
  ...more,
});
const text = { type: "string" };
const closed = { additionalProperties: false };

const tree = (leaf: unknown) => ({
  $ref: "#/$defs/node",
  $defs: { node: object({ leaf, next: { $ref: "#/$defs/node" } }) },
});

/** Impact and code of each change, for senders and for readers. */
const cases: Case[] = [
  ["nothing changed", object({ a: text }), object({ a: text }), [], []],
  ["the order of keys", { type: "string", minLength: 1 }, { minLength: 1, type: "string" }, [], []],
  [
    "a required field came",
    object({ a: text }),
    object({ a: text, b: text }, { required: ["b"] }),
    ["breaking required-field-added"],
    ["compatible field-added"],
  ],
  [
    "an optional field came",
    object({ a: text }, closed),
    object({ a: text, b: text }, closed),
    ["compatible field-added"],
    ["compatible field-added"],
  ],
  [
    "a field went from a closed object",
    object({ a: text, b: { type: "number" } }, closed),
    object({ a: text }, closed),
    ["breaking field-removed"],
    ["breaking field-removed"],
  ],
  [
    "a field went from an open object",
    object({ a: text, b: { type: "number" } }),
    object({ a: text }),
    ["notice field-removed"],
    ["breaking field-removed"],
  ],
  [
    "a field became required",
    object({ a: text }),
    object({ a: text }, { required: ["a"] }),
    ["breaking field-required"],
    ["compatible field-required"],
  ],
  [
    "a field became optional",
    object({ a: text }, { required: ["a"] }),
    object({ a: text }),
    ["compatible field-optional"],
    ["breaking field-optional"],
  ],
  ["an object was closed", object({}), object({}, closed), ["breaking object-closed"], [
    "compatible object-closed",
  ]],
  ["an object was opened", object({}, closed), object({}), ["compatible object-opened"], [
    "notice object-opened",
  ]],
  ["number to integer", { type: "number" }, { type: "integer" }, ["breaking type-narrowed"], [
    "compatible type-narrowed",
  ]],
  ["integer to number", { type: "integer" }, { type: "number" }, ["compatible type-widened"], [
    "breaking type-widened",
  ]],
  ["another type", text, { type: "number" }, ["breaking type-changed"], ["breaking type-changed"]],
  [
    "half the types changed",
    { type: ["number", "null"] },
    { type: ["integer", "string"] },
    ["breaking type-changed"],
    ["breaking type-changed"],
  ],
  ["null came by nullable", text, { type: "string", nullable: true }, ["compatible type-widened"], [
    "breaking type-widened",
  ]],
  ["a type was named", {}, text, ["breaking type-narrowed"], ["compatible type-narrowed"]],
  ["a constant's type was named", { const: "a" }, { type: "string", const: "a" }, [], []],
  ["an enum lost a value", { enum: ["a", "b"] }, { enum: ["a"] }, ["breaking enum-narrowed"], [
    "compatible enum-narrowed",
  ]],
  ["an enum gained a value", { enum: ["a"] }, { enum: ["a", "b"] }, ["compatible enum-widened"], [
    "breaking enum-widened",
  ]],
  [
    "an enum was written as constants",
    { enum: ["a", "b"] },
    { anyOf: [{ const: "a" }, { const: "b" }] },
    [],
    [],
  ],
  ["an enum came", text, { type: "string", enum: ["a"] }, ["breaking enum-added"], ["compatible enum-added"]],
  ["a minimum rose", { minimum: 1 }, { minimum: 2 }, ["breaking limit-tightened"], [
    "compatible limit-tightened",
  ]],
  ["a minimum came below zero", {}, { minimum: -5 }, ["breaking limit-tightened"], [
    "compatible limit-tightened",
  ]],
  ["a maximum was excluded", { maximum: 9 }, { exclusiveMaximum: 9 }, ["breaking limit-tightened"], [
    "compatible limit-tightened",
  ]],
  [
    "a flag of draft 4 and a number say the same",
    { minimum: 1, exclusiveMinimum: true },
    { exclusiveMinimum: 1 },
    [],
    [],
  ],
  ["a length was limited", text, { type: "string", maxLength: 9 }, ["breaking limit-tightened"], [
    "compatible limit-tightened",
  ]],
  ["a lowest length of 0 says nothing", text, { type: "string", minLength: 0 }, [], []],
  ["a length was freed", { maxLength: 9 }, {}, ["compatible limit-loosened"], ["breaking limit-loosened"]],
  ["steps became finer", { multipleOf: 10 }, { multipleOf: 5 }, ["compatible limit-loosened"], [
    "breaking limit-loosened",
  ]],
  ["other steps", { multipleOf: 2 }, { multipleOf: 3 }, ["breaking limit-changed"], [
    "breaking limit-changed",
  ]],
  [
    "items must differ",
    { type: "array" },
    { type: "array", uniqueItems: true },
    ["breaking limit-tightened"],
    [
      "compatible limit-tightened",
    ],
  ],
  ["a pattern came", text, { type: "string", pattern: "^a" }, ["breaking pattern-added"], [
    "compatible pattern-added",
  ]],
  ["another pattern", { pattern: "^a" }, { pattern: "^b" }, ["notice cannot-tell"], ["notice cannot-tell"]],
  ["a description reads differently", { description: "a" }, { description: "b" }, [
    "notice description-changed",
  ], [
    "notice description-changed",
  ]],
  ["another default", { default: 1 }, { default: 2 }, ["notice default-changed"], ["notice default-changed"]],
  ["within items", { items: text }, { items: { type: "number" } }, ["breaking type-changed"], [
    "breaking type-changed",
  ]],
  [
    "within additional properties",
    { additionalProperties: text },
    { additionalProperties: { enum: ["a"] } },
    [
      "breaking enum-added",
    ],
    ["compatible enum-added"],
  ],
  ["an alternative went", { anyOf: [text, { type: "number" }] }, { anyOf: [text] }, [
    "breaking alternative-removed",
  ], [
    "compatible alternative-removed",
  ]],
  ["a schema got an alternative", text, { anyOf: [text, { type: "number" }] }, [
    "compatible alternative-added",
  ], [
    "breaking alternative-added",
  ]],
  [
    "an alternative went that another covers",
    { anyOf: [text, { type: "string", maxLength: 3 }] },
    { anyOf: [text] },
    [],
    [],
  ],
  [
    "an alternative of several changed",
    { anyOf: [text, { type: "number", minimum: 0 }] },
    { anyOf: [text, { type: "number", minimum: 1 }] },
    ["breaking alternative-removed"],
    ["compatible alternative-removed"],
  ],
  [
    "oneOf with disjoint types",
    { oneOf: [text, { type: "null" }] },
    { oneOf: [text, { type: "null" }, { type: "number" }] },
    ["compatible alternative-added"],
    ["breaking alternative-added"],
  ],
  [
    "oneOf that may overlap",
    { oneOf: [{ minimum: 1 }, { maximum: 5 }] },
    { oneOf: [{ minimum: 1 }, { maximum: 5 }, { type: "string" }] },
    ["notice cannot-tell"],
    ["notice cannot-tell"],
  ],
  ["a condition came", { allOf: [text] }, { allOf: [text, { minLength: 2 }] }, ["breaking condition-added"], [
    "compatible condition-added",
  ]],
  ["not differs", { not: { const: 1 } }, { not: { const: 2 } }, ["notice cannot-tell"], [
    "notice cannot-tell",
  ]],
  ["a recursive schema, the same", tree(text), tree(text), [], []],
  ["a recursive schema, changed where it is defined", tree(text), tree({ type: "number" }), [
    "breaking type-changed",
  ], [
    "breaking type-changed",
  ]],
  [
    "a definition changed behind alternatives that read the same",
    { oneOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/b" }], $defs: { a: text, b: { type: "number" } } },
    { oneOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/b" }], $defs: { a: text, b: { type: "boolean" } } },
    ["notice cannot-tell"],
    ["notice cannot-tell"],
  ],
  [
    "a definition changed behind a condition that reads the same",
    { allOf: [{ $ref: "#/$defs/a" }], $defs: { a: text } },
    { allOf: [{ $ref: "#/$defs/a" }], $defs: { a: { type: "number" } } },
    ["breaking type-changed"],
    ["breaking type-changed"],
  ],
  ["a reference to elsewhere, the same", { $ref: "https://x.test/a" }, { $ref: "https://x.test/a" }, [], []],
  ["another reference to elsewhere", { $ref: "https://x.test/a" }, { $ref: "https://x.test/b" }, [
    "notice cannot-tell",
  ], ["notice cannot-tell"]],
  ["nothing is allowed any more", { items: text }, { items: false }, ["breaking forbidden"], [
    "compatible forbidden",
  ]],
];

const found = (before: unknown, after: unknown, direction: SchemaRole): string[] =>
  compareSchemas(before, after, direction, "s").map(withImpact(direction))
    .map(({ impact, code }) => `${impact} ${code}`);

for (const [what, before, after, input, output] of cases) {
  t.test(what, (t) => {
    t.same(found(before, after, "input"), input, "to senders");
    t.same(found(before, after, "output"), output, "to readers");
    t.end();
  });
}

t.test("a change is told with its place, and a likely new name of a field", (t) => {
  const before = object({ place: object({ town: { type: "string", maxLength: 40 } }, closed) });
  const after = object({ place: object({ city: { type: "string", maxLength: 40 } }, closed) });
  const [gone, came] = compareSchemas(before, after, "input", "tools/find/inputSchema");
  t.match(gone, {
    path: "tools/find/inputSchema/properties/place/properties/town",
    message: /likely renamed to city/,
  });
  t.match(came, { code: "field-added" });
  t.end();
});

/** Definitions each of which names the next one twice, so that the places double with each. */
function doubling(type: string): object {
  const both = (at: number) => ({ l: { $ref: `#/$defs/d${at}` }, r: { $ref: `#/$defs/d${at}` } });
  const $defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`d${at}`, { type: "object", properties: both(at + 1) }]),
  );
  return { type: "object", properties: both(0), $defs: { ...$defs, d40: { type } } };
}

t.test("definitions that name each other again and again end, and are never called compatible", (t) => {
  t.same(compareSchemas(doubling("string"), doubling("string"), "input", ""), []);
  const changes = compareSchemas(doubling("string"), doubling("number"), "input", "");
  t.ok(changes.length > 0);
  t.ok(
    changes.some(({ code }) => code === "cannot-tell") || changes.some(({ effect }) => effect === "narrowed"),
  );
  t.end();
});

t.test("a reference that is no path, or names what every object has, points to nothing", (t) => {
  for (const $ref of ["#/$defs/%zz", "#/constructor", "#/$defs/__proto__", "#anchor"]) {
    const changes = compareSchemas(
      { properties: { a: { $ref } }, $defs: { "%zz": { type: "string" } } },
      { properties: { a: { type: "string" } } },
      "input",
      "",
    );
    t.match(changes, [{ code: "cannot-tell" }], $ref);
  }
  t.end();
});
