import t from "tap";
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { buildOutcome } from "../../../src/client/outcome.ts";
import { validatorFor } from "../../../src/client/schema_problems.ts";
import { lintTools } from "../../../src/testing/lint_tools.ts";
import { planMeasurements } from "../../../src/performance/plan_measurements.ts";
import { toolInputs } from "../../../src/testing/fuzz/arbitraries/inputs.ts";
import { defaultMostTests, generateFromSchema } from "../../../src/testing/generators/schema.ts";
import { allSchemaProblems } from "../../../src/testing/generate/all_schema_problems.ts";

const toolOf = (name: string, inputSchema: unknown): ToolDefinition => ({
  name,
  inputSchema,
  description: "A",
});
const object = (properties: Record<string, unknown>, more = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  ...more,
});
const numbered = (count: number, of: (n: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, of(n)]));
const nested = (levels: number): unknown => {
  let schema: unknown = { type: "string" };
  for (let level = 0; level < levels; level++) schema = object({ a: schema });
  return schema;
};
/** Each definition is twice the one below: 2 to the power of `count` in all. */
const doubling = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => {
    const next = n === count - 1 ? { type: "string" } : { $ref: `#/$defs/d${n + 1}` };
    return [`d${n}`, object({ a: next, b: next })];
  }));

/** Schemas, and what the check of `tools/list` says of each; undefined: it is read, and no input has to be found. */
const hostile: Record<string, [schema: unknown, problem: RegExp | undefined]> = {
  "two repetitions in a group": [
    object({ a: { type: "string", pattern: "(x+x+)+y", minLength: 60 } }),
    /inputs for it are not done within [\d.]+ s(?: on a busy machine)?: the pattern \(x\+x\+\)\+y .* at properties\/a\/pattern, runs away/,
  ],
  "a pattern that no text matches soon": [
    object({ a: { type: "string", pattern: "^(a+)+$", default: `${"a".repeat(60)}!` } }),
    /properties\/a\/pattern, runs away/,
  ],
  "a thousand million characters": [object({ a: { type: "string", pattern: "^a{1000000000}$" } }), undefined],
  "repetitions of repetitions": [
    object({ a: { type: "string", pattern: "^(((a{999}){999}){999}){999}$" } }),
    undefined,
  ],
  "references that double a text": [
    object({
      a: { type: "string", pattern: "^(a)(\\1\\1)(\\2\\2)(\\3\\3)(\\4\\4)(\\5\\5)(\\6\\6)(\\7\\7)$" },
    }),
    undefined,
  ],
  "10,000 required properties": [object(numbered(10_000, () => ({ type: "string" }))), /over 5,000 objects/],
  "1,000 required properties": [object(numbered(1_000, () => ({ type: "string" }))), undefined],
  "5,000 patterns": [
    {
      type: "object",
      patternProperties: Object.fromEntries(Array.from({ length: 4999 }, (_, n) => [`^p${n}$`, {}])),
    },
    /over 500 patterns/,
  ],
  "5,000 levels": [nested(5_000), /over 250 nested levels, at properties\/a\/properties/],
  "a text of two million characters": [
    object({ a: { type: "string", description: "x".repeat(2_000_000) } }),
    /over 1,000,000 characters/,
  ],
  "an enum of two million members": [
    object({ a: { enum: Array.from({ length: 2_000_000 }, (_, n) => n) } }),
    /members/,
  ],
  "a reference to itself": [{
    type: "object",
    properties: { a: { $ref: "#/properties/a" } },
    required: ["a"],
  }, /./],
  "references in a ring": [
    object({ a: { $ref: "#/$defs/x" } }, {
      $defs: { x: { allOf: [{ $ref: "#/$defs/y" }] }, y: { allOf: [{ $ref: "#/$defs/x" }] } },
    }),
    undefined,
  ],
  "definitions that double": [object({ a: { $ref: "#/$defs/d0" } }, { $defs: doubling(30) }), undefined],
  "lists of lists of lists": [
    object({
      a: {
        type: "array",
        minItems: 100,
        items: {
          type: "array",
          minItems: 100,
          items: {
            type: "array",
            minItems: 100,
            items: { type: "array", minItems: 100, items: { type: "string" } },
          },
        },
      },
    }),
    /not done within/,
  ],
  "no schema of any kind": [
    { type: "object", properties: [], required: "all", enum: {}, anyOf: 7, $defs: null, allOf: "x" },
    /./,
  ],
};

/** The process may do something else at least so often, in ms; a busy machine is slower. */
const longestPause = 5_000;

for (const [what, [schema, problem]] of Object.entries(hostile)) {
  t.test(`a schema with ${what} is read in time, or named with its limit`, async (t) => {
    const tools = [toolOf("act", schema), toolOf("fine", object({ a: { type: "string" } }))];
    let last = performance.now();
    let longest = 0;
    const beat = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 10);
    const { tests, findings } = await generateFromSchema(tools);
    const problems = await allSchemaProblems(tools);
    clearInterval(beat);
    t.ok(longest < longestPause, `the longest pause took ${longest} ms`);
    t.ok(tests.some(({ tool }) => tool === "fine"), "others have their tests");
    if (problem !== undefined) {
      t.match(problems, [{ tool: "act", which: "inputSchema", message: problem }]);
      t.match(findings.filter(({ severity }) => severity === "error"), [{ tool: "act", message: problem }]);
    } else t.same(problems, []);
  });
}

t.test("an answer made for the pattern of an outputSchema is the schema's fault, and costs its time twice", (t) => {
  const schema = object({ word: { type: "string", pattern: "^(a+)+$" } });
  const answer = (word: string) => ({
    result: { content: [], structuredContent: { word } },
    problems: [],
    raw: {},
    durationMs: 1,
  });
  t.same(buildOutcome(answer("aaa"), schema).violations, []);
  const started = performance.now();
  for (let call = 0; call < 60; call++) {
    t.match(buildOutcome(answer(`${"a".repeat(60)}!`), schema).violations, [{
      kind: "output_schema",
      message:
        /cannot be checked, .* within [\d.]+ s(?: on a busy machine)?: the pattern \^\(a\+\)\+\$ .* at properties\/word\/pattern, runs away/,
    }]);
  }
  t.ok(performance.now() - started < 40_000);
  t.end();
});

t.test("a schema that leads back to itself is no end of the process", (t) => {
  const schema = { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" };
  const validate = validatorFor(schema);
  t.match(validate?.({}) ?? ["cannot"], [/cannot/]);
  t.end();
});

t.test("lint, measurements and fuzzing end where a schema does not", async (t) => {
  const tools = [toolOf("act", hostile["a pattern that no text matches soon"]![0])];
  t.match(await lintTools(tools), [{ code: "schema-out-of-time", message: /runs away/ }]);
  const { tools: measured, unmeasured } = planMeasurements(tools, new Map(), {});
  t.same(measured, []);
  t.match(unmeasured, [{ tool: "act", reason: /does not end/ }]);
  t.equal(toolInputs(tools[0]!.inputSchema, { reaching: false }), undefined);
});

t.test("after a schema that was stopped, others compile as before", async (t) => {
  await generateFromSchema([toolOf("act", hostile["two repetitions in a group"]![0])]);
  t.same(validatorFor(object({ a: { type: "string", format: "email" } }))!({ a: "x" }), [
    '/a must match format "email"',
  ]);
});

t.test("5,000 tools do not become 25,000 tests unless they are asked for", async (t) => {
  const many = Array.from(
    { length: 5_000 },
    (_, n) => toolOf(`tool_${n}`, object({ a: { type: "string" } })),
  );
  const { tests, findings } = await generateFromSchema(many);
  t.equal(tests.filter(({ tool }) => tool).length, defaultMostTests);
  t.match(findings.filter(({ code }) => code.endsWith("left-out")), [{ code: "tools-left-out" }, {
    code: "tests-left-out",
    message:
      /only 2500 input tests .* 2500 tools got none, 2500 tools got fewer .* a higher limit can be asked for/,
  }]);
  const all = await generateFromSchema(many.slice(0, 500), { maxTests: 10_000 });
  t.ok(all.tests.length > 2_000);
  t.notMatch(all.findings, [{ code: "tests-left-out" }]);
});

t.test("tools whose schemas all run away end after a few", async (t) => {
  const many = Array.from(
    { length: 50 },
    (_, n) => toolOf(`tool_${n}`, structuredClone(hostile["two repetitions in a group"]![0])),
  );
  const started = performance.now();
  const { findings } = await generateFromSchema(many);
  t.match(findings.at(-1), {
    code: "schema-out-of-time",
    message: /47 tools got no input tests: .* tool_0, tool_1/,
  });
  t.match(await allSchemaProblems(many), [{ tool: "tool_0" }, { tool: "tool_1" }, { tool: "tool_2" }]);
  t.ok(performance.now() - started < 30_000);
});
