import t from "tap";
import { validatorFor } from "../../../../src/client/schema_problems.ts";
import { validInputs } from "../../../../src/testing/json_schema/valid_inputs.ts";
import type { Schema } from "../../../../src/testing/json_schema/schema.ts";

const inputsOf = (schema: Schema, tool = "date") =>
  validInputs(schema, (input) => validatorFor(schema)!(input).length === 0, { tool: { name: tool } });

/** Optional properties, each needed in one mode as its description says. */
const modes: Schema = {
  type: "object",
  properties: {
    action: { type: "string", enum: ["diff", "add"] },
    date: { type: "string" },
    date2: { type: "string", description: "Second date (required for diff)" },
    amount: { type: "number", description: "Used when action is 'add'" },
    note: { type: "string", description: "A note; not for add" },
    title: { type: "string", description: "Address of the head" },
  },
  required: ["action", "date"],
};

t.test("an input has the properties that its mode needs, as descriptions say", (t) => {
  const found = Object.fromEntries(inputsOf(modes).map(({ what, input }) => [what, input]));
  const plain = { date: "2024-01-15" };
  t.same(found["what its mode requires"], { action: "diff", ...plain, date2: "2024-01-15" });
  t.same(found["required only"], { action: "diff", ...plain });
  t.same(found['action = "add"'], { action: "add", ...plain, amount: 1 }, "a part of a word ties nothing");
  t.end();
});

t.test("an input without modes is as it was: required properties first", (t) => {
  const { action: _action, ...properties } = modes.properties!;
  const [first] = inputsOf({ ...modes, properties, required: ["date"] });
  t.same(first, { what: "required only", input: { date: "2024-01-15" } });
  t.end();
});

t.test("an input has what its mode or the tool says that a mode needs", (t) => {
  const action = { type: "string", enum: ["list", "get", "create"] };
  const properties = { action, id: { type: "string" }, title: { type: "string" }, body: { type: "string" } };
  const told = "list: lists all. get: needs id. create: needs title and, optionally, body";
  const expected = { get: { action: "get", id: "1" }, create: { action: "create", title: "example" } };
  for (const [inTool, inMode] of [[told, undefined], ["", told]]) {
    const schema = {
      type: "object",
      properties: { ...properties, action: { ...action, description: inMode } },
      required: ["action"],
    } as Schema;
    const found = validInputs(schema, () => true, { tool: { name: "notes", description: inTool } });
    const inputs = Object.fromEntries(found.map(({ what, input }) => [what, input]));
    t.same(inputs['action = "get"'], expected.get);
    t.same(inputs['action = "create"'], expected.create);
  }
  t.end();
});

t.test("what a condition of the schema requires is there, in each mode its own", (t) => {
  const conditional = (conditions: Schema): Schema => ({
    type: "object",
    properties: {
      mode: { type: "string", enum: ["file", "text"] },
      path: { type: "string" },
      text: { type: "string" },
    },
    required: ["mode"],
    ...conditions,
  });
  const isFile = { properties: { mode: { const: "file" } } };
  const isText = { properties: { mode: { const: "text" } } };
  const schemas = [
    conditional({ if: isFile, then: { required: ["path"] }, else: { required: ["text"] } }),
    conditional({
      allOf: [{ if: isFile, then: { required: ["path"] } }, { if: isText, then: { required: ["text"] } }],
    }),
  ];
  for (const schema of schemas) {
    const inputs = Object.fromEntries(inputsOf(schema, "work").map(({ what, input }) => [what, input]));
    t.same(inputs["required only"], { mode: "file", path: "pth-example.txt" });
    t.same(inputs['mode = "text"'], { mode: "text", text: "example" });
  }
  const dependent = conditional({ dependentSchemas: { mode: { required: ["text"] } } });
  t.same(inputsOf(dependent, "work")[0]!.input, { mode: "file", text: "example" });
  t.end();
});

t.test("alternatives of a property and of a list's elements are variants", (t) => {
  const kind = (name: string, more: Record<string, Schema>): Schema => ({
    type: "object",
    properties: { kind: { const: name }, ...more },
    required: ["kind", ...Object.keys(more)],
  });
  const oneOf = [kind("insert", { text: { type: "string" } }), kind("delete", { line: { type: "integer" } })];
  const inputs = inputsOf({
    type: "object",
    properties: { edits: { type: "array", items: { oneOf } }, first: { oneOf } },
    required: ["edits", "first"],
  }, "work");
  const [insert, remove] = [{ kind: "insert", text: "example" }, { kind: "delete", line: 1 }];
  t.same(inputs.map(({ input }) => input), [
    { edits: [insert], first: insert },
    { edits: [remove], first: remove },
  ]);
  t.end();
});

t.test("code is in the language that the input names", (t) => {
  const properties = { language: { enum: ["python", "go", "brainfuck"] }, code: { type: "string" } };
  const inputs = inputsOf({ type: "object", properties, required: ["language", "code"] } as Schema, "run");
  t.same(inputs.map(({ input }) => String(input.code).split("\n")[0]), [
    "print(1 + 1)",
    "package main",
    "console.log(1 + 1)",
  ]);
  t.end();
});

t.test("a tool that works in the server's folder by default is given an example's", (t) => {
  const schema: Schema = {
    type: "object",
    properties: { path: { type: "string", default: "." }, message: { type: "string" } },
    required: ["message"],
  };
  const hints = { tool: { name: "git_commit" }, files: "/work/plugin/pth-files" };
  const [first, second] = validInputs(schema, (input) => validatorFor(schema)!(input).length === 0, hints);
  t.same(first!.input, { message: "example", path: "/work/plugin/pth-files/git_commit/repository" });
  t.same(second!.input, { message: "example" });
  t.end();
});

t.test("properties of a mode are added only where the schema allows them", (t) => {
  const schema: Schema = { ...modes, not: { required: ["date2"] } };
  const inputs = inputsOf(schema);
  t.ok(inputs.length > 0);
  for (const { input } of inputs) t.notOk("date2" in input, JSON.stringify(input));
  t.end();
});

t.test("the same schema gives the same inputs, byte for byte", (t) => {
  t.equal(JSON.stringify(inputsOf(modes)), JSON.stringify(inputsOf(structuredClone(modes))));
  t.end();
});
