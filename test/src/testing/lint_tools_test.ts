/** Each rule on tool definitions: what it finds, and that a good definition gives it nothing to find. */
import { fileURLToPath } from "node:url";
import t from "tap";
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { ownTests } from "../own_tests.ts";
import { registry } from "../../../src/testing/lint/_registry.ts";
import { lintInstructions, lintTools } from "../../../src/testing/lint_tools.ts";

const text = (more: Record<string, unknown> = {}) => ({ type: "string", description: "A text", ...more });

const tool = (name: string, properties: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => {
  const { schema = {}, ...rest } = more;
  return {
    name,
    description: `Does what ${name} says`,
    inputSchema: { type: "object", properties, ...schema as object },
    ...rest,
  } as ToolDefinition;
};

const found = async (...tools: ToolDefinition[]): Promise<string[]> =>
  (await lintTools(tools)).map(({ severity, code, tool }) => `${severity} ${code} ${tool}`);

const nested = (depth: number): Record<string, unknown> =>
  depth === 0 ? text() : { type: "object", description: "Holds more", properties: { in: nested(depth - 1) } };

const sentence = "Finds all files below a folder whose name matches a pattern and lists them";

const cases: [what: string, tools: ToolDefinition[], findings: string[]][] = [
  ["a good tool", [tool("find", { text: text() })], []],
  ["no description", [tool("find", {}, { description: " " })], ["warning missing-description find"]],
  ["a silent parameter", [tool("find", { a: { type: "string" } })], [
    "info missing-parameter-description find",
  ]],
  ["one name, written in two ways", [tool("listFiles"), tool("list-file")], [
    "warning ambiguous-tools list-file",
  ]],
  ["names that differ by their verb", [tool("kv_get"), tool("kv_set")], []],
  [
    "one description for two tools",
    [tool("find", {}, { description: sentence }), tool("search", {}, { description: `${sentence}.` })],
    ["warning ambiguous-tools find"],
  ],
  [
    "a description with another default",
    [tool("find", { a: { type: "integer", default: 10, description: "At most so many (default: 20)" } })],
    ["warning contradicting-default find"],
  ],
  [
    "descriptions with the same default, in another unit, or with none",
    [
      tool("find", {
        a: { type: "integer", default: 10, description: "At most so many, default 10, not 20" },
        b: { type: "integer", default: 5000, description: "Default: 5 seconds" },
        c: { type: "integer", default: 10, description: "The default is small" },
      }),
    ],
    [],
  ],
  ["a long description", [tool("find", {}, { description: "a ".repeat(600) })], ["warning long-text find"]],
  ["a long description of a parameter", [tool("find", { a: text({ description: "a ".repeat(600) }) })], [
    "info long-text find",
  ]],
  ["a name with a space", [tool("find it")], ["error tool-name find it"]],
  ["a name with a dot", [tool("files.find")], ["warning tool-name files.find"]],
  ["a name of 65 letters", [tool("a".repeat(65))], [`warning tool-name ${"a".repeat(65)}`]],
  ["a name of 50 letters", [tool("a".repeat(50))], [`info tool-name ${"a".repeat(50)}`]],
  ["an input that is no object", [tool("find", {}, { inputSchema: { type: "string" } })], [
    "error rejected-schema find",
  ]],
  ["an input schema that is missing", [tool("find", {}, { inputSchema: undefined })], [
    "error rejected-schema find",
  ]],
  ["alternatives at the top", [tool("find", { a: text() }, { schema: { anyOf: [{ required: ["a"] }] } })], [
    "error top-level-combination find",
  ]],
  ["alternatives below the top", [tool("find", { a: text({ anyOf: [{ minLength: 1 }] }) })], []],
  ["no properties", [tool("find", {}, { inputSchema: { type: "object" } })], [
    "warning missing-properties find",
  ]],
  ["a list of anything", [tool("find", { a: text({ type: "array" }) })], [
    "warning array-without-items find",
  ]],
  ["a list of types", [tool("find", { a: text({ type: ["string", "null"] }) })], ["info type-list find"]],
  ["a reference to nowhere", [tool("find", { a: { $ref: "#/$defs/a" } })], [
    "error unresolved-reference find",
  ]],
  ["a reference that names something", [
    tool("find", { a: { $ref: "#/$defs/a" } }, { schema: { $defs: { a: text() } } }),
  ], []],
  ["a reference to elsewhere", [tool("find", { a: { $ref: "https://x.test/a" } })], [
    "warning unresolved-reference find",
  ]],
  ["a deep input", [tool("find", { a: nested(6) })], ["info deep-schema find"]],
  ["a format of one's own", [tool("find", { a: text({ format: "colour" }) })], ["info unknown-format find"]],
  ["read-only and destructive", [
    tool("find", {}, { annotations: { readOnlyHint: true, destructiveHint: true } }),
  ], [
    "warning contradicting-annotations find",
  ]],
  ["read-only by hint, deleting by name", [tool("delete_all", {}, { annotations: { readOnlyHint: true } })], [
    "warning contradicting-annotations delete_all",
  ]],
  ["a hint that is a text", [tool("find", {}, { annotations: { readOnlyHint: "yes" } })], [
    "error contradicting-annotations find",
  ]],
  ["codes without a meaning", [tool("find", { a: { enum: [1, 2] } })], [
    "info enum-without-meaning find",
    "info missing-parameter-description find",
  ]],
  ["a default that is forbidden", [tool("find", { a: text({ default: 5 }) })], [
    "warning default-mismatch find",
  ]],
  ["a default of what is required", [
    tool("find", { a: text({ default: "x" }) }, { schema: { required: ["a"] } }),
  ], [
    "info default-mismatch find",
  ]],
  [
    "what is no schema at all",
    [tool("find", { a: null, b: 5, c: [] }), null as unknown as ToolDefinition],
    [],
  ],
];

for (const [what, tools, findings] of cases) {
  t.test(what, async (t) => {
    t.same((await found(...tools)).sort(), [...findings].sort());
  });
}

t.test("every rule has a case here or a test of its own, and a code of its own", async (t) => {
  const codes = registry.map(({ code }) => code);
  t.equal(new Set(codes).size, codes.length);
  const shown = cases.flatMap(([, , findings]) => findings.map((finding) => finding.split(" ")[1]));
  const own = await ownTests(fileURLToPath(new URL("lint", import.meta.url)));
  const missing = codes.filter((code) => !shown.includes(code) && !own.has(code.replaceAll("-", "_")));
  t.same(missing, [], "add a case above, or test/src/testing/lint/<name>_test.ts");
});

t.test("instructions that are cut", (t) => {
  t.same(lintInstructions("short"), []);
  t.same(lintInstructions(undefined), []);
  t.match(lintInstructions("a".repeat(3000)), [{ code: "long-instructions", message: /3000 characters/ }]);
  t.end();
});

t.test("schemas that were made to hurt cost no run its lint", async (t) => {
  const deep = JSON.parse(`${'{"type":"object","properties":{"a":'.repeat(3000)}{}${"}}".repeat(3000)}`);
  const lost = { type: "object", properties: { a: { $ref: "#/$defs/%zz" }, b: { $ref: "#/constructor" } } };
  const found = await lintTools([
    { name: "deep", description: "Deep.", inputSchema: deep },
    { name: "lost", description: "Lost.", inputSchema: lost },
  ]);
  t.match(found.filter(({ code }) => code === "deep-schema"), [{ tool: "deep" }]);
  t.match(found.filter(({ code }) => code === "unresolved-reference"), [{ tool: "lost", message: /a, b/ }]);
});
