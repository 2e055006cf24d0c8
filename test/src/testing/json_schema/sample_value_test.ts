import t from "tap";
import type { InputHints } from "../../../../src/testing/json_schema/path_values.ts";
import { sampleValue } from "../../../../src/testing/json_schema/sample_value.ts";
import type { Schema } from "../../../../src/testing/json_schema/schema.ts";

const tool = (name: string, description = "A tool"): InputHints => ({ tool: { name, description } });
const laidOut: InputHints = { files: "/work/plugin/pth-files" };

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
  ["endDate", "", "list", "2024-01-16"],
  ["end_time", "ISO 8601", "list", "2024-01-16T10:30:00Z"],
  ["to", "End date", "report", "2024-01-16"],
  ["query", "jq filter", "run", "."],
  ["query", "SQL query to execute", "run", "SELECT 1"],
  ["selector", "CSS selector", "click", "p"],
  ["pattern", "Glob pattern", "find", "*.txt"],
  ["pattern", "regular expression", "find", "[a-z]+"],
  ["expression", "JSONata expression", "run", "name"],
  ["to", "Recipient email address", "mail", "user@example.com"],
  ["address", "IP address", "look_up", "192.0.2.1"],
  ["zip_code", "", "weather", "10115"],
  ["latitude", "", "weather", "52.5"],
  ["unit", "Temperature unit", "convert", "celsius"],
  ["units", "metric or imperial", "weather", "metric"],
  ["code", "Rust code", "run", 'fn main() { println!("{}", 1 + 1); }\n'],
  ["diagram", "Mermaid diagram code", "render", "graph TD\n  A[Start] --> B[End]"],
  ["method", "HTTP method", "request", "GET"],
  ["sort", "Sort order (asc, desc)", "list", "asc"],
  ["mode", "Mode to use ('fast' or 'slow')", "run", "fast"],
  ["to_format", "Target format: hex, rgb, hsl.", "convert", "rgb"],
  ["priority", "Its priority (optional, default)", "add", "example"],
  ["rotations", 'Rotations as JSON object: {"1": 90}. Values are degrees (90, 180).', "rotate", '{"1": 90}'],
  ["hash", "SHA-1 hash to verify", "check", "c3499c2729730a7f807efb8676a92dcb6f8a3f8f"],
  ["branch_name", "", "git_create_branch", "pth-example"],
  ["target", "", "git_diff", "HEAD"],
  ["dstSheetName", "", "copy_sheet", "Sheet2"],
  ["content", "", "bash_write_file", "example"],
];

t.test("words of names, descriptions and tools decide what a text is", (t) => {
  for (const [name, description, toolName, value] of texts) {
    const about = `${name} of ${toolName}: ${description}`;
    t.same(valueOf(name, { type: "string", description }, tool(toolName)), value, about);
  }
  t.end();
});

/** Tools, properties and descriptions, and the path that they speak for, below the folder of example files. */
const paths: [tool: string, name: string, description: string, value: string][] = [
  ["read_file", "path", "", "example.txt"],
  ["read_file", "path", "e.g. /docs/report.pdf", "example.pdf"],
  ["read_csv", "file_path", "", "example.csv"],
  ["read_json", "file", "", "example.json"],
  ["read_pdf", "source", "Path of the document", "example.pdf"],
  ["describe_image", "image", "Path to the picture", "example.png"],
  ["excel_read_sheet", "fileAbsolutePath", "", "example.xlsx"],
  ["open_db", "database_path", "", "open_db/example.db"],
  ["run_python", "script", "Path of the Python script", "run_python/example.py"],
  ["write_file", "path", "", "write_file/new.txt"],
  ["edit_file", "path", "", "edit_file/example.txt"],
  ["encrypt file", "path", "", "encrypt-file/example.txt"],
  ["delete_file", "path", "", "delete_file/example.txt"],
  ["move_file", "source", "", "move_file/example.txt"],
  ["move_file", "destination", "", "move_file/new.txt"],
  ["md_to_pdf", "outputPath", "", "md_to_pdf/new.pdf"],
  ["create_workbook", "path", "", "create_workbook/new.xlsx"],
  ["excel_create_table", "path", "", "excel_create_table/example.xlsx"],
  ["create_directory", "path", "", "create_directory/new-folder"],
  ["list_directory", "path", "", "folder"],
  ["search_code", "directory", "", "folder"],
  ["extract", "archive_path", "", "example.zip"],
  ["compress_files", "archive_path", "", "compress_files/new.zip"],
  ["zip_create", "paths", "Paths of the files to include in the ZIP archive", "zip_create/example.txt"],
  ["zip_list", "path", "Path of the ZIP archive", "example.zip"],
  ["json_to_csv", "path", "JSON file with an array of objects", "json_to_csv/records.json"],
  ["copy_sheet", "path", "Excel file", "copy_sheet/example.xlsx"],
  ["copy_file", "source", "", "example.txt"],
  ["git_status", "repo_path", "", "repository"],
  ["git_commit", "repo_path", "", "git_commit/repository"],
  ["git_init", "path", "", "git_init/folder"],
  ["git_clone", "target_path", "", "git_clone/new-folder"],
];

t.test("paths name example files of the kind asked for; what a tool may change is its own", (t) => {
  for (const [name, property, description, value] of paths) {
    const hints = { ...laidOut, ...tool(name) };
    const path = valueOf(property, { type: "string", description }, hints);
    t.equal(path, `${laidOut.files}/${value}`, `${property} of ${name}`);
  }
  t.end();
});

t.test("a path that is called relative, a name alone, and a file of a repository are not absolute", (t) => {
  const path = (name: string, property: string, description = "") =>
    valueOf(property, { type: "string", description }, { ...laidOut, ...tool(name) });
  t.equal(path("read_pdf", "path", "Relative path to the file"), "pth-files/example.pdf");
  t.equal(path("read", "path", "Absolute or relative path"), "/work/plugin/pth-files/example.txt");
  t.equal(path("memory_read", "fileName"), "pth-example.txt");
  t.equal(path("git_blame", "file"), "README.md");
  t.end();
});

t.test("a tool that only reads shares the example files, whatever its name", (t) => {
  const hints = { ...laidOut, tool: { name: "process", annotations: { readOnlyHint: true } } };
  t.equal(valueOf("path", { type: "string" }, hints), "/work/plugin/pth-files/example.txt");
  t.end();
});

t.test("what no example file is of comes from the tool that makes it", (t) => {
  const made = new Map([["path", "/work/plugin/pth-files/create_presentation-1/new.pptx"]]);
  const hints = { ...laidOut, ...tool("read_presentation"), made };
  t.equal(valueOf("path", { type: "string" }, hints), made.get("path"));
  t.end();
});

t.test("a default that names the folder where the server runs gives way to an example", (t) => {
  const part = { type: "string", default: "." };
  t.equal(valueOf("path", part, { ...laidOut, ...tool("git_log") }), "/work/plugin/pth-files/repository");
  t.equal(valueOf("path", part, tool("git_log")), ".");
  t.end();
});

t.test("without example files paths are relative, and name what earlier calls may have made", (t) => {
  const path = (name: string, property: string, hints: InputHints = {}) =>
    valueOf(property, { type: "string" }, { ...hints, ...tool(name) });
  t.equal(path("read_json", "file"), "pth-example.json");
  t.equal(path("list_directory", "path"), ".");
  t.equal(path("create_directory", "path"), "pth-example-folder");
  t.equal(path("move_file", "destination"), "pth-example-move-file.txt");
  t.equal(path("copy_file", "destination", { own: "pth-check" }), "pth-check-copy-file.txt");
  t.equal(path("write_file", "path", { own: "pth-check" }), "pth-check.txt");
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

t.test("what is brought together is given twice, and an end comes after its start", (t) => {
  const list = { type: "array", items: { type: "string" } };
  t.same(valueOf("files", list, { ...laidOut, ...tool("pdf_merge") }), [
    "/work/plugin/pth-files/pdf_merge/example.pdf",
    "/work/plugin/pth-files/pdf_merge/example.pdf",
  ]);
  const number = (name: string) => valueOf(name, { type: "integer", minimum: 1 });
  t.ok(Number(number("endLine")) > Number(number("startLine")));
  t.end();
});

t.test("a part that requires nothing gets its first property", (t) => {
  const part = { type: "object", properties: { path: { type: "string" }, url: { type: "string" } } };
  t.same(valueOf("source", part, { ...laidOut, ...tool("read_pdf") }), {
    path: "/work/plugin/pth-files/example.pdf",
  });
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
