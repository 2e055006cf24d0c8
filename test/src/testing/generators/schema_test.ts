import t from "tap";
import type { ToolDefinition } from "../../../../machines/model/plugin.ts";
import { validatorFor } from "../../../../src/client/schema_problems.ts";
import { generateFromSchema } from "../../../../src/testing/generators/schema.ts";
import { interpolateTests } from "../../../../src/testing/format/interpolate.ts";
import { parseTests } from "../../../../src/testing/format/parse.ts";
import { serializeTests } from "../../../../src/testing/format/serialize_tests.ts";
import { impossible, nasty } from "../nasty_schemas.ts";
import { everythingTools, filesystemTools } from "../real_tools.ts";

const toolOf = (name: string, inputSchema: unknown, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: "A tool",
  inputSchema,
  ...more,
});
const nastyTools = Object.entries(nasty).map(([name, schema]) => toolOf(name, schema));
const allTools = [...everythingTools, ...filesystemTools, ...nastyTools];
const generated = await generateFromSchema(allTools, { includeHeldBack: true });
const names = async (tools: ToolDefinition[]) =>
  (await generateFromSchema(tools)).tests.map(({ name }) => name);

t.test("what is called valid obeys the schema, what is called invalid breaks it, controls are valid", (t) => {
  for (const test of interpolateTests(generated.tests, new Map())) {
    if (test.tool === undefined) continue;
    const schema = allTools.find(({ name }) => name === test.tool)!.inputSchema;
    const isValid = (input: unknown) => validatorFor(schema)!(input).length === 0;
    t.equal(isValid(test.input), "well_behaved" in test.expect, `${test.name} ${JSON.stringify(test.input)}`);
    if (test.control !== undefined) t.ok(isValid(test.control.input), `${test.name}: control`);
    t.equal(test.control !== undefined, "refuses" in test.expect, "negative tests have a control");
  }
  t.end();
});

t.test("every tool with a possible input gets a valid one, and at most 12 tests", (t) => {
  for (const { name } of allTools) {
    const own = generated.tests.filter(({ tool }) => tool === name);
    t.ok(own.some(({ tags }) => tags.includes("valid")), `${name}: a valid input`);
    t.ok(own.length <= 12, `${name}: ${own.length} tests`);
  }
  t.end();
});

t.test("the same tools give the same bytes, which read back as the same tests", async (t) => {
  const text = serializeTests(generated.tests);
  const again = await generateFromSchema(structuredClone(allTools), { includeHeldBack: true });
  t.equal(serializeTests(again.tests), text);
  const read = parseTests("generated.yaml", text).map(({ file: _file, line: _line, ...test }) => test);
  t.same(read, generated.tests);
  t.equal(new Set(generated.tests.map(({ id }) => id)).size, generated.tests.length, "ids are unique");
});

t.test("a tool without a possible input gets none, and a finding says why", async (t) => {
  const { tests, findings } = await generateFromSchema(
    Object.entries(impossible).map(([name, schema]) => toolOf(name, schema)),
  );
  t.same(tests.filter(({ tool }) => tool !== undefined), []);
  const codes = Object.fromEntries(
    findings.filter(({ code }) => code !== "missing-parameter-description").map((
      { tool, code },
    ) => [tool!, code]),
  );
  t.same(codes, {
    forever: "no-example-input",
    contradiction: "no-example-input",
    elsewhere: "schema-does-not-compile",
    noType: "schema-does-not-compile",
  });
});

t.test("a tool works on the file that an earlier one makes, else on an example", async (t) => {
  const path = (description: string) => ({
    type: "object",
    properties: { file_path: { type: "string", description } },
    required: ["file_path"],
  });
  const reader = toolOf("get_diagram", path("The file"));
  const maker = toolOf("new_diagram", path("The file, which ends in .svg"));
  const hints = { files: "pth-files" };
  const read = async (tools: ToolDefinition[]) =>
    (await generateFromSchema(tools, { hints })).tests.find(({ tool }) => tool === reader.name)!.input;
  const made = { file_path: "pth-files/new_diagram-1/new.svg" };
  t.same(await read([maker, reader]), made);
  t.same(await read([reader, maker]), made, "what makes it is called first");
  t.same(await read([reader]), { file_path: "pth-files/example.txt" });
  const readOnly = { ...reader, annotations: { readOnlyHint: true } };
  t.same(
    await read([readOnly, maker]),
    { file_path: "pth-files/example.txt" },
    "what only reads comes before all",
  );
});

t.test("what makes something is called before what uses it, and that before what ends it", async (t) => {
  const tools = ["reset", "read_note", "create_note", "delete_note"].map((name) =>
    toolOf(name, { type: "object" })
  );
  const { tests } = await generateFromSchema(tools, { includeHeldBack: true });
  t.same([...new Set(tests.flatMap(({ tool }) => tool ?? []))], [
    "create_note",
    "read_note",
    "reset",
    "delete_note",
  ]);
});

t.test("a simple tool gets the tests that one would write", async (t) => {
  const echo = toolOf("echo", {
    type: "object",
    properties: { message: { type: "string" }, times: { type: "integer", minimum: 1, maximum: 9 } },
    required: ["message"],
    additionalProperties: false,
  });
  t.same((await names([echo])).filter((name) => name.startsWith("echo")), [
    "echo - valid, required only",
    "echo - valid, all properties",
    "echo - boundary, message empty",
    "echo - boundary, times = 9",
    "echo - refuses missing message",
    "echo - refuses wrong type for message",
    "echo - refuses times below its minimum",
    "echo - refuses null message",
    "echo - refuses an extra property",
    "echo - refuses wrong type for times",
    "echo - refuses times above its maximum",
  ]);
});

t.test("the server as a whole is checked first, by calls last, unless single tools were asked for", async (t) => {
  t.same(generated.tests.slice(0, 9).map(({ check }) => check), [
    "answers_ping",
    "answers_unknown_methods",
    "asks_nothing_undeclared",
    "capabilities_answer",
    "ends_on_eof",
    "lists_page",
    "stdout_is_protocol",
    "tools_list",
    "leaves_no_process",
  ]);
  const one = (await generateFromSchema(allTools, { tools: ["echo"] })).tests;
  t.same([...new Set(one.map(({ tool }) => tool))], ["echo"]);
});

t.test("numbers stay small, lists short, texts bounded", async (t) => {
  const look = (value: unknown): void => {
    if (typeof value === "number") t.ok(Math.abs(value) <= 10_001, String(value));
    else if (typeof value === "string") t.ok(value.length <= 4097);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(look);
  };
  const huge = toolOf("huge", {
    type: "object",
    properties: {
      n: { type: "number", maximum: 1e12, minimum: -1e12 },
      s: { type: "string", maxLength: 1e9 },
      l: { type: "array", items: { type: "string" }, maxItems: 1e9 },
    },
    required: ["n", "s", "l"],
  });
  for (const { input } of [...generated.tests, ...(await generateFromSchema([huge])).tests]) look(input);
});

t.test("a server is not told to sleep long, be it by default or by a limit", async (t) => {
  const schema = {
    type: "object",
    properties: { seconds: { type: "integer", default: 10, maximum: 60 }, label: { type: "string" } },
  };
  const { tests } = await generateFromSchema([toolOf("wait", schema)]);
  const slow = tests.filter(({ input, control }) =>
    [input, control?.input].some((each) => Number(each?.seconds) > 10)
  );
  t.same(slow.map(({ name }) => name), []);
  const controls = tests.flatMap(({ control }) => control === undefined ? [] : [control.input.seconds]);
  t.ok(controls.length > 0);
  t.same([...new Set(controls)], [1], "controls are quick");
});

t.test("tools that say they are dangerous are held back with the reason", async (t) => {
  const plain = { type: "object" };
  const tools = [
    toolOf("wipe", plain, { annotations: { destructiveHint: true, readOnlyHint: false } }),
    toolOf("look", plain, { annotations: { destructiveHint: true, readOnlyHint: true } }),
    toolOf("fetch", plain, { annotations: { openWorldHint: true } }),
    toolOf("deleteUser", plain),
    toolOf("sendEmail", plain),
    toolOf("undelete_me", plain),
    toolOf("dropdown_list", plain),
    toolOf("silent", plain, { annotations: {} }),
  ];
  const { tests, heldBack } = await generateFromSchema(tools);
  t.same(heldBack, [
    { tool: "wipe", reason: "it says destructiveHint: true" },
    { tool: "fetch", reason: "it says openWorldHint: true" },
    { tool: "deleteUser", reason: 'its name says "delete"' },
    { tool: "sendEmail", reason: 'its name says "send"' },
  ]);
  const tested = tests.flatMap(({ tool }) => tool ?? []);
  t.same([...new Set(tested)], ["look", "undelete_me", "dropdown_list", "silent"]);
  t.same((await generateFromSchema(tools, { includeHeldBack: true })).heldBack, []);
});

t.test("a required property with a default is not tested for its absence", async (t) => {
  const schema = { type: "object", properties: { n: { type: "integer", default: 3 } }, required: ["n"] };
  t.notOk((await names([toolOf("x", schema)])).includes("x - refuses missing n"));
});

t.test("a number in quotes is never called a wrong type", (t) => {
  for (const { input, expect } of generated.tests) {
    if (!/type/.test(String(expect.refuses))) continue;
    for (const value of Object.values(input!)) t.notMatch(String(value), /^\d+$/);
    break;
  }
  t.end();
});

t.test("a malformed list of tools does not stop the generator", async (t) => {
  const list = [
    null,
    { inputSchema: {} },
    toolOf("a", { type: "object" }),
    toolOf("a", {}),
    toolOf("b", true),
  ];
  const { tests } = await generateFromSchema(list as ToolDefinition[]);
  t.same(tests.flatMap(({ tool }) => tool ?? []), ["a"]);
});

t.test("200 tools take no time to speak of", async (t) => {
  const many = Array.from({ length: 200 }, (_, n) => toolOf(`tool_${n}`, structuredClone(nasty.arrays)));
  const before = performance.now();
  const { tests } = await generateFromSchema(many);
  t.ok(tests.length > 1000);
  t.ok(performance.now() - before < 60_000, "not a minute on the busiest machine");
});
