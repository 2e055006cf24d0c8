import t from "tap";
import { schemaProblems, validatorFor } from "../../../src/client/schema_problems.ts";

const tool = (inputSchema: unknown, more: Record<string, unknown> = {}) => ({
  name: "act",
  inputSchema,
  ...more,
});
const object = { type: "object" };

t.test("schemas as real servers write them have no problems", async (t) => {
  const schemas = [
    { type: "object" },
    {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { a: { type: "string" } },
    },
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: { a: { type: "null" } },
    },
    { type: "object", properties: { a: { type: ["string", "null"], format: "made-up", unknownKeyword: 1 } } },
    {
      type: "object",
      properties: { pair: { type: "array", items: [{ type: "number" }, { type: "number" }] } },
    },
    { type: "object", properties: { tree: { $ref: "#" } }, $id: "https://example.test/tree" },
    { type: "object", properties: { a: { nullable: true, type: "string" } }, required: [] },
    { type: "object", properties: { a: { anyOf: [{ type: "string" }, { const: null, nullable: true }] } } },
    { $schema: "https://example.test/own-dialect", type: "object" },
    {
      type: "object",
      properties: { crop: { nullable: true, $ref: "#/$defs/crop" } },
      $defs: { crop: object },
    },
    {
      type: "object",
      properties: { nullable: { nullable: true }, crop: { anyOf: [object], nullable: true } },
    },
  ];
  for (const schema of schemas) t.same(await schemaProblems([tool(schema)]), [], JSON.stringify(schema));
  t.same(await schemaProblems(schemas.map((schema, i) => ({ name: `t${i}`, inputSchema: schema }))), []);
  t.same(
    await schemaProblems(
      schemas.map((schema, i) => ({ name: `t${i}`, inputSchema: structuredClone(schema) })),
    ),
    [],
  );
});

t.test("names the tool, the schema and what is wrong", async (t) => {
  const problems = await schemaProblems([
    tool({ type: "object", properties: { a: { type: "text" } } }, {
      outputSchema: { type: "object", pattern: "(" },
    }),
  ]);
  t.match(problems, [
    { tool: "act", which: "inputSchema", message: /type/ },
    { tool: "act", which: "outputSchema", message: /regular expression|pattern/i },
  ]);
});

t.test("an input schema that is missing, no object, or describes no object", async (t) => {
  t.match(await schemaProblems([tool(undefined)]), [{
    which: "inputSchema",
    message: /undefined, not an object/,
  }]);
  t.match(await schemaProblems([tool(null)]), [{ which: "inputSchema", message: /null/ }]);
  t.match(await schemaProblems([tool({ type: "string" })]), [{
    which: "inputSchema",
    message: /"string", not "object"/,
  }]);
  t.match(await schemaProblems([tool({ $ref: "#/$defs/none", type: "object" })]), [{ message: /resolve/ }]);
});

t.test("a name that is listed twice is told once per repetition", async (t) => {
  t.match(await schemaProblems([tool(object), tool(object), tool(object)]), [
    { tool: "act", which: "name" },
    { tool: "act", which: "name" },
  ]);
});

t.test("nullable without a type allows null as well, and is data where it stands for some", (t) => {
  const schema = {
    type: "object",
    properties: { a: { enum: ["x", { nullable: true }], nullable: true }, nullable: { type: "string" } },
  };
  const validate = validatorFor(schema)!;
  for (const a of ["x", null, { nullable: true }]) {
    t.same(validate({ a, nullable: "y" }), [], JSON.stringify(a));
  }
  t.not(validate({ a: 1 }).length, 0);
  t.not(validate({ nullable: 1 }).length, 0);
  t.end();
});

t.test("validates in the dialect that the schema names", (t) => {
  const tuple2020 = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    prefixItems: [{ type: "number" }],
  };
  t.equal(validatorFor(tuple2020)!(["x"]).length, 1);
  const tuple07 = { $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: "number" }] };
  t.equal(validatorFor(tuple07)!(["x"]).length, 1);
  t.same(validatorFor(tuple07)!([1]), []);
  t.end();
});

t.test("says where and how a value breaks the schema, each breach once", (t) => {
  const validate = validatorFor({
    type: "object",
    properties: { mail: { type: "string", format: "email" } },
    required: ["size"],
    additionalProperties: false,
  })!;
  t.same(validate({ mail: "x", extra: 1 }).sort(), [
    "/ must NOT have additional properties: extra",
    "/ must have required property 'size'",
    '/mail must match format "email"',
  ]);
  t.end();
});

t.test("a schema that does not compile has no validator", (t) => {
  t.equal(validatorFor({ type: "nonsense" }), undefined);
  t.end();
});
