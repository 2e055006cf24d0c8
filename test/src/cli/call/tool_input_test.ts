/** Words of a command line read as arguments of a tool, by the tool's input schema. */
import { join } from "node:path";
import t from "tap";
import { readArguments, toolInput } from "../../../../src/cli/call/tool_input.ts";
import { fieldRows, toolFields, toolUsage } from "../../../../src/cli/call/tool_fields.ts";
import { Problems } from "../../../../src/cli/options/problems.ts";
import { asPthError } from "../../../../src/core/errors.ts";
import { makeTempDir, removeIfExists, writeTextFile } from "../../../../src/platform/files.ts";

const inputSchema = {
  type: "object",
  properties: {
    name: { type: "string", description: "Name of it" },
    count: { type: "integer", default: 3 },
    ratio: { type: "number" },
    deep: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    filter: { $ref: "#/$defs/filter" },
    limit: { anyOf: [{ type: "number" }, { type: "null" }] },
    id: { oneOf: [{ type: "integer" }, { type: "string" }] },
    level: { enum: [1, 2, "all"] },
    free: {},
  },
  required: ["name"],
  $defs: { filter: { type: "object", properties: { a: { type: "string" } } } },
};
const tool = { name: "find", inputSchema };

async function read(words: readonly string[], of: { name: string; inputSchema: unknown } = tool) {
  const problems = new Problems();
  const given = await readArguments(words, problems);
  problems.throwIfAny("Cannot read");
  return toolInput(of, given);
}

t.test("each text becomes a value of the type that the schema names", async (t) => {
  const words = [
    "name=12",
    "count=7",
    "ratio=-0.5",
    "deep=false",
    'tags=["a","b"]',
    'filter={"a":"="}',
    "limit=4",
    "id=5",
    "level=2",
    "free=plain text",
  ];
  t.strictSame(await read(words), {
    name: "12",
    count: 7,
    ratio: -0.5,
    deep: false,
    tags: ["a", "b"],
    filter: { a: "=" },
    limit: 4,
    id: "5",
    level: 2,
    free: "plain text",
  });
  t.strictSame(await read(["name=", "limit=null", "level=all", "free=[1]"]), {
    name: "",
    limit: null,
    level: "all",
    free: [1],
  });
});

t.test("key:=json and a JSON object are taken as they are, key=@file by its text", async (t) => {
  const folder = await makeTempDir({ prefix: "pth-call-" });
  t.teardown(() => removeIfExists(folder));
  const file = join(folder, "tags.json");
  await writeTextFile(file, '["x"]\n');
  const words = ['{"name":"n=1","count":"many"}', "id:=5", `tags=@${file}`];
  t.strictSame(await read(words), { name: "n=1", count: "many", id: 5, tags: ["x"] });
  t.strictSame(await read(["name=a\nb=c"]), { name: "a\nb=c" });
  await t.rejects(read([`name=@${join(folder, "none")}`]), /name=@.*none: cannot read the file/);
});

t.test("all that is wrong is one error, with the tool's usage", async (t) => {
  await t.rejects(read(["nmae=x", "count=2.5", "deep=yes", "tags=a"]), {
    code: "INVALID_INPUT",
    message:
      'Cannot call find: unknown key "nmae" (did you mean "name"?); count expects a whole number, not "2.5"; ' +
      'deep expects true or false, not "yes"; tags expects a JSON list, not "a"; "name" is missing',
    context: { next: [/^Usage: pth call <target> find name=<string> \[count=<integer>\] .*\[free=<any>\]$/] },
  });
  await t.rejects(read(["limit=x", "name=n"]), { message: /limit expects a number or null, not "x"/ });
});

t.test("words that are no arguments are refused before anything is started", async (t) => {
  const error = await read(["plain", "=x", "{oops", "a:={", "name=1", "name=2"]).then(
    () => undefined,
    asPthError,
  );
  t.match(error?.context["problems"], [
    /^"plain" is no argument: give key=value/,
    /^"=x" is no argument/,
    /^"{oops" is no JSON object/,
    /^a:= expects JSON/,
    /^"name" is given twice/,
  ]);
  t.equal(error?.code, "INVALID_INPUT");
});

t.test("a tool says whether it takes other keys; without fields any key is taken", async (t) => {
  const open = { name: "o", inputSchema: { ...inputSchema, additionalProperties: true } };
  t.strictSame(await read(["name=n", "other=1"], open), { name: "n", other: 1 });
  t.strictSame(await read(["a=1"], { name: "any", inputSchema: { type: "object" } }), { a: 1 });
  const none = { name: "none", inputSchema: { type: "object", additionalProperties: false } };
  await t.rejects(read(["a=1"], none), { message: /unknown key "a" \(it takes none\)/ });
});

t.test("a hostile schema neither hangs nor throws, and lends no meaning to inherited names", async (t) => {
  const endless = { allOf: [{ $ref: "#" }, { $ref: "#" }, { $ref: "#" }], type: "object" };
  t.match(toolFields({ inputSchema: endless }), { fields: [], open: true, problem: /./ });
  const odd = { properties: { a: { type: "constructor" }, b: { type: [{ toString: 1 }] } } };
  t.strictSame(await read(["b=1"], { name: "odd", inputSchema: odd }), { b: 1 });
  await t.rejects(read(["a=1"], { name: "odd", inputSchema: odd }), {
    message: /a value of type constructor/,
  });
});

t.test("fields are listed with type, default and description, required ones with a star", (t) => {
  const fields = toolFields(tool);
  t.same(fieldRows(fields).slice(0, 2), ["name*: string  Name of it", "count: integer (default: 3)"]);
  t.match(
    fieldRows(fields),
    ["", "", "", "", "", "filter: object", "limit: number|null", "id: integer|string", "level: 1|2|all"]
      .map((row) => row === "" ? /./ : row),
  );
  t.equal(toolUsage("none", toolFields({ inputSchema: { additionalProperties: false } })), "none");
  t.end();
});
