import fc from "fast-check";
import t from "tap";
import { validatorFor } from "../../../../src/client/schema_problems.ts";
import { bounded } from "../../../../src/platform/bounded.ts";
import { toolInputs } from "../../../../src/testing/fuzz/arbitraries/inputs.ts";
import { impossible, nasty } from "../nasty_schemas.ts";
import { everythingTools, filesystemTools } from "../real_tools.ts";

const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: "object",
  properties,
  ...more,
});

const schemas: Record<string, unknown> = {
  ...nasty,
  ...Object.fromEntries(
    [...everythingTools, ...filesystemTools].map((tool) => [tool.name, tool.inputSchema]),
  ),
  formats: object(Object.fromEntries(
    [
      "date",
      "date-time",
      "time",
      "email",
      "hostname",
      "ipv4",
      "ipv6",
      "uri",
      "uuid",
      "duration",
      "json-pointer",
    ]
      .map((format) => [format.replace("-", "_"), { type: "string", format }]),
  )),
  limits: object({
    short: { type: "string", minLength: 2, maxLength: 4 },
    code: { type: "string", pattern: "^[A-Z]{3}-\\d+$" },
    look: { type: "string", pattern: "^(?=.*\\d)[a-z\\d]{4,8}$" },
    share: { type: "number", minimum: 0, maximum: 1, exclusiveMaximum: 1 },
    tenth: { type: "number", multipleOf: 0.1 },
    far: { type: "integer", minimum: 1_000_000 },
    set: { type: "array", items: { type: "integer" }, minItems: 2, maxItems: 5, uniqueItems: true },
    pair: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false },
  }, { required: ["short", "code", "set"], additionalProperties: false }),
  combined: object({
    either: {
      oneOf: [{ type: "string", maxLength: 3 }, object({ kind: { const: "b" } }, { required: ["kind"] })],
    },
    both: { allOf: [{ type: "integer", minimum: 3 }, { maximum: 9 }] },
    maybe: { anyOf: [{ type: "null" }, { enum: ["on", "off"] }] },
    map: { type: "object", additionalProperties: { type: "integer" } },
  }, { required: ["either"] }),
  tree: {
    type: "object",
    $defs: {
      node: object({
        value: { type: "integer" },
        children: { type: "array", items: { $ref: "#/$defs/node" } },
      }),
    },
    properties: { root: { $ref: "#/$defs/node" } },
    required: ["root"],
  },
};

const rounds = 200;
const seed = 4_711;

t.test("every valid input obeys its schema, and every invalid one does not", (t) => {
  const check = (name: string, schema: unknown) => {
    const inputs = toolInputs(schema, { reaching: true });
    if (inputs === undefined) return t.fail(`${name}: no inputs`);
    const breaches = validatorFor(schema)!;
    const wrongly = fc.sample(inputs.valid, { seed, numRuns: rounds })
      .filter(({ input, breach }) => breach !== undefined || breaches(input).length > 0);
    t.same(wrongly.slice(0, 1), [], `${name}: valid ones`);
    const invalid = fc.sample(inputs.invalid, { seed, numRuns: rounds });
    const named = invalid.filter(({ breach }) => breach !== undefined);
    const allowed = named.filter(({ input }) => breaches(input).length === 0);
    t.same(allowed.slice(0, 1), [], `${name}: invalid ones`);
    const unnamed = invalid.filter(({ breach, input }) => breach === undefined && breaches(input).length > 0);
    t.same(unnamed.slice(0, 1), [], `${name}: what breaks the schema says how`);
  };
  // Each check has a limit of its own within PTH, which on Node takes as long as the check; here they share one.
  for (const [name, schema] of Object.entries(schemas)) bounded(() => check(name, schema), 60_000);
  t.end();
});

t.test("inputs differ, and most of them are not the plain one", (t) => {
  for (const name of ["formats", "limits", "combined", "tree"]) {
    const drawn = fc.sample(toolInputs(schemas[name], { reaching: false })!.valid, { seed, numRuns: rounds });
    const different = new Set(drawn.map(({ input }) => JSON.stringify(input)));
    t.ok(different.size > rounds / 2, `${name}: ${different.size} of ${rounds}`);
  }
  t.end();
});

t.test("the same seed draws the same inputs, another one draws others", (t) => {
  const draw = (from: number) =>
    fc.sample(toolInputs(schemas.limits, { reaching: false })!.all, { seed: from, numRuns: 20 });
  t.same(draw(1), draw(1));
  t.notSame(draw(1), draw(2));
  t.end();
});

t.test("a schema that no input fits has none", (t) => {
  for (const [name, schema] of Object.entries(impossible)) {
    t.equal(toolInputs(schema, { reaching: false }), undefined, name);
  }
  t.end();
});

t.test("a format that every object has is none", (t) => {
  const { valid } = toolInputs(
    object({ text: { type: "string", format: "toString" } }, { required: ["text"] }),
    {
      reaching: false,
    },
  )!;
  const drawn = fc.sample(valid, { seed, numRuns: 20 });
  t.ok(drawn.every(({ input }) => typeof input.text === "string"));
  t.end();
});

t.test("numbers without limits stay small, times smaller still", (t) => {
  const { valid } = toolInputs(object({ n: { type: "integer" }, timeout: { type: "number" } }), {
    reaching: false,
  })!;
  const far = fc.sample(valid, { seed, numRuns: rounds }).filter(({ input }) =>
    Math.abs(Number(input.n ?? 0)) > 65_536 || Number(input.timeout ?? 0) > 1
  );
  t.same(far, []);
  t.end();
});

t.test("texts that reach out of the folder are drawn only where that is allowed", (t) => {
  const path = object({ path: { type: "string" } }, { required: ["path"] });
  const reaches = (reaching: boolean) =>
    fc.sample(toolInputs(path, { reaching })!.valid, { seed, numRuns: 500 })
      .some(({ input }) => String(input.path).includes("../pth-fuzz"));
  t.equal(reaches(true), true);
  t.equal(reaches(false), false);
  t.end();
});

t.test("a text shrinks to the one character that matters, also one from the list", (t) => {
  const { all } = toolInputs(object({ text: { type: "string" } }, { required: ["text"] }), {
    reaching: false,
  })!;
  for (const from of [1, 2, 3]) {
    const found = fc.check(fc.property(all, ({ input }) => !String(input.text).includes('"')), {
      seed: from,
      numRuns: 500,
    });
    t.same(found.counterexample?.[0].input, { text: '"' }, `seed ${from}`);
  }
  t.end();
});

t.test("a number shrinks to the border of what fails", (t) => {
  const { valid } = toolInputs(object({ n: { type: "integer" } }, { required: ["n"] }), { reaching: false })!;
  const found = fc.check(fc.property(valid, ({ input }) => Number(input.n) > -7), { seed: 1, numRuns: 500 });
  t.same(found.counterexample?.[0].input, { n: -7 });
  t.end();
});
