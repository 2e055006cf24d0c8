import t from "tap";
import { validatorFor } from "../../../../src/client/schema_problems.ts";
import { validInputs } from "../../../../src/testing/json_schema/valid_inputs.ts";
import type { Schema } from "../../../../src/testing/json_schema/schema.ts";

const inputsOf = (schema: Schema) =>
  validInputs(schema, (input) => validatorFor(schema)!(input).length === 0, {
    tool: { name: "date", description: "Dates" },
  });

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
