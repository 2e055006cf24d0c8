import t from "tap";
import type { InputHints } from "../../../../src/testing/json_schema/path_values.ts";
import { sampleValue } from "../../../../src/testing/json_schema/sample_value.ts";
import type { Schema } from "../../../../src/testing/json_schema/schema.ts";

const tool = (name: string, description = "A tool"): InputHints => ({ tool: { name, description } });
const plugin: InputHints = { file: "package.json", folder: "/work/plugin" };

/** The value that a property of this name gets. */
function valueOf(name: string, part: Schema, hints: InputHints = {}): unknown {
  const schema = { type: "object", properties: { [name]: part }, required: [name] };
  const value = sampleValue(schema, { properties: "required", prefer: "examples", branch: 0, hints });
  return (value as Record<string, unknown>)[name];
}

/** Names, descriptions and tools, and the text that they speak for. */
const texts: [name: string, description: string, tool: string, value: unknown][] = [
  ["expression", "The expression", "calculate", "1 + 1"],
  ["expression", "The cron expression to explain", "explain", "0 9 * * 1"],
  ["expression", "", "cron_parse", "0 9 * * 1"],
  ["number", "Digits to check", "luhn", "4111 1111 1111 1111"],
  ["input", "YAML to read", "parse", "name: example\nvalue: 1\n"],
  ["text", "", "csv_to_json", "name,value\nexample,1\n"],
  ["xml", "", "format", "<a>example</a>"],
  ["xpath", "", "query", "//a"],
  ["jsonPath", "", "query", "$"],
  ["sql", "e.g. `DROP TABLE users`", "query", "SELECT 1"],
  ["pattern", "Regex to test", "test", "[a-z]+"],
  ["startDate", "", "diff", "2024-01-15"],
  ["date2", "", "diff", "2024-01-15"],
  ["timezone", "", "now", "UTC"],
  ["timezone", "IANA zone, e.g. `Europe/Berlin`", "now", "Europe/Berlin"],
  ["from", "", "convert_units", "m"],
  ["to", "", "convert_units", "km"],
  ["to", "", "convert_currency", "EUR"],
  ["language", "", "translate", "en"],
  ["language", "Programming language", "run", "javascript"],
  ["data", "URL or data URI of the content", "gzip", "data:text/plain;base64,ZXhhbXBsZQ=="],
  ["command", "e.g. `npm publish`", "run", "echo pth-example"],
  ["uuid", "", "inspect", "123e4567-e89b-42d3-a456-426614174000"],
  ["hex", "", "decode", "6578616d706c65"],
  ["title", "", "create", "example"],
  ["content", "", "bash_write_file", "example"],
];

t.test("words of names, descriptions and tools decide what a text is", (t) => {
  for (const [name, description, toolName, value] of texts) {
    const about = `${name} of ${toolName}: ${description}`;
    t.same(valueOf(name, { type: "string", description }, tool(toolName)), value, about);
  }
  t.end();
});

/** Tools, properties and descriptions, and the path that they speak for. */
const paths: [tool: string, name: string, description: string, value: string][] = [
  ["read_file", "path", "", "package.json"],
  ["read_file", "path", "The absolute path", "/work/plugin/package.json"],
  ["read_csv", "file_path", "", "pth-example.csv"],
  ["read_json", "file", "", "package.json"],
  ["write_file", "path", "", "pth-example.txt"],
  ["write_file", "path", "Must be absolute", "/work/plugin/pth-example.txt"],
  ["edit_file", "path", "", "pth-example.txt"],
  ["list_directory", "path", "", "."],
  ["list_directory", "path", "Absolute path", "/work/plugin"],
  ["create_directory", "path", "", "pth-example-folder"],
  ["move_file", "source", "", "pth-example.txt"],
  ["move_file", "destination", "", "pth-example-move-file.txt"],
  ["extract", "archive_path", "", "pth-example.zip"],
  ["git_status", "repo_path", "", "."],
  ["git_add", "repo_path", "", "."],
  ["encrypt_file", "path", "", "pth-example.txt"],
  ["delete_file", "path", "", "pth-example.txt"],
  ["memory_read", "fileName", "", "pth-example.txt"],
];

t.test("paths lie in the plugin's folder, and are of what is there where something is read", (t) => {
  for (const [name, property, description, value] of paths) {
    const hints = { ...plugin, ...tool(name) };
    t.equal(valueOf(property, { type: "string", description }, hints), value, `${property} of ${name}`);
  }
  t.end();
});

t.test("files of a check that calls every tool have names of their own", (t) => {
  const hints = { ...plugin, ...tool("copy_file"), own: "pth-check" };
  t.equal(valueOf("destination", { type: "string" }, hints), "pth-check-copy-file.txt");
  t.equal(valueOf("path", { type: "string" }, { ...hints, ...tool("write_file") }), "pth-check.txt");
  t.end();
});

t.test("no absolute path is made where the folder lies on the user's machine", (t) => {
  const part = { type: "string", description: "The absolute path" };
  t.equal(valueOf("path", part, tool("read_file")), "pth-example.txt");
  t.end();
});

t.test("numbers follow names and descriptions, and stay small", (t) => {
  const number = (name: string, description = "") => valueOf(name, { type: "number", description });
  t.equal(number("latitude"), 52.5);
  t.equal(number("port"), 8080);
  t.equal(number("amount"), 1);
  t.equal(number("amount", "e.g. 250"), 250);
  t.equal(number("amount", "e.g. 2500000"), 1, "too large");
  t.equal(number("timeout", "e.g. 5000"), 1, "the server would wait as long");
  t.end();
});

t.test("items of a list take the name and the description of the list", (t) => {
  const list = (description = "") => ({ type: "array", items: { type: "string" }, description });
  t.same(valueOf("urls", list()), ["https://example.com/"]);
  t.same(valueOf("files", list()), ["pth-example.txt"]);
  t.same(valueOf("languages", list()), ["en"]);
  t.same(valueOf("tags", list("Tags, e.g. 'red'")), ["red"]);
  t.same(
    valueOf("tags", { ...list("Tags, e.g. 'red'"), default: [] }),
    ["red"],
    "an empty default says nothing",
  );
  t.end();
});

t.test("what a schema gives comes before what words say, and its limits hold", (t) => {
  const description = "e.g. `red`";
  t.equal(valueOf("name", { type: "string", description, examples: ["blue"] }), "blue");
  t.equal(valueOf("name", { type: "string", description, default: "green" }), "green");
  t.equal(valueOf("name", { type: "string", description, enum: ["white"] }), "white");
  t.match(valueOf("name", { type: "string", description, pattern: "^x+$" }), /^x+$/);
  t.end();
});
