import t from "tap";
import type { ToolDefinition } from "../../../../machines/model/plugin.ts";
import { type Attempt, plainAttempt, withFeeds } from "../../../../src/testing/learn/attempt.ts";
import { inputPlaces } from "../../../../src/testing/learn/input_places.ts";
import { KnownValues } from "../../../../src/testing/learn/known_values.ts";
import type { RefusedCall } from "../../../../src/testing/learn/repair.ts";
import { registry } from "../../../../src/testing/learn/repairs/_registry.ts";
import type { Schema } from "../../../../src/testing/json_schema/schema.ts";
import { tool } from "./scripted_server.ts";

interface Call {
  name?: string;
  input?: Record<string, unknown>;
  full?: Record<string, unknown>;
  others?: Record<string, unknown>[];
  tools?: string[];
  values?: KnownValues;
  /** Schemas of properties; any value unless given. */
  properties?: Record<string, unknown>;
  page?: boolean;
}

function refusedCall(words: string, call: Call = {}): RefusedCall {
  const { name = "use_it", input = { text: "example" }, full = input, others = [], tools = [] } = call;
  const properties = { ...Object.fromEntries(Object.keys(full).map((key) => [key, {}])), ...call.properties };
  const own: ToolDefinition = tool(name, properties);
  return {
    tool: own,
    schema: own.inputSchema as Schema,
    attempt: plainAttempt(input),
    places: inputPlaces(input),
    words,
    full,
    others,
    tools: [own, ...tools.map((other) => tool(other))],
    values: call.values ?? new KnownValues(),
    folder: "/work/plugin",
    page: call.page ?? false,
  };
}

const attempts = (repair: string, words: string, call?: Call): Attempt[] =>
  registry.find((each) => each.name === repair)!.repair(refusedCall(words, call));

const inputs = (repair: string, words: string, call?: Call) =>
  attempts(repair, words, call).map(({ input }) => input);

t.test("listed_value: lists in all their forms are read, for the property that is meant", (t) => {
  const lists = [
    "must be one of: red, blue",
    "Invalid text. Valid options are: red, blue.",
    'expected one of "red", "blue"',
    "Invalid enum value. Expected 'red' | 'blue', received 'example'",
    "Supported formats: red, blue",
    "Unknown colour. Use red or blue.",
    "Available colours:\n- red\n- blue",
    "text should be one of ['red', 'blue']",
    "invalid text: example (must be red or blue)",
    "invalid text: example (must be red, or blue)",
    "Invalid text 'example': must be 'red' or 'blue'",
    "Unknown text: example. Valid texts: red, blue",
    "example not found; available: red, blue",
  ];
  for (const words of lists) {
    t.strictSame(inputs("listed_value", words), [{ text: "red" }, { text: "blue" }], words);
  }
  const two = { input: { kind: "example", colour: "other" } };
  t.strictSame(inputs("listed_value", "colour must be one of: red, blue", two), [
    { kind: "example", colour: "red" },
    { kind: "example", colour: "blue" },
  ]);
  const one = [
    "Unknown text: example. Available texts: red",
    "Unknown text 'example'. Did you mean 'red'?",
    "text example not found, did you mean red?",
  ];
  for (const words of one) t.strictSame(inputs("listed_value", words), [{ text: "red" }], words);
  t.strictSame(
    inputs("listed_value", "invalid text: example (must be login, logout, status, or list)").map(({ text }) =>
      text
    ),
    ["status", "list", "login", "logout"],
    "what only looks at something comes first",
  );
  const none = [
    "not found",
    "Use the tool, please.",
    "must be a valid path",
    "text must be a string, a number or a list",
    "Unknown text. Available texts: none",
    "Did you mean to pass an id?",
    "text must be set to true",
  ];
  for (const words of none) {
    t.strictSame(inputs("listed_value", words), [], words);
  }
  t.end();
});

t.test("missing_property: what the refusal names is added, alone and together", (t) => {
  const call = { input: { mode: "a" }, full: { mode: "a", who: "x", due: "y" } };
  t.strictSame(inputs("missing_property", "who is required when mode is a", call), [{ mode: "a", who: "x" }]);
  t.strictSame(inputs("missing_property", "Missing: who, due", call), [
    { mode: "a", who: "x", due: "y" },
    { mode: "a", who: "x" },
    { mode: "a", due: "y" },
  ]);
  t.strictSame(
    inputs("missing_property", "each step needs a title", {
      input: { steps: [{ id: 1 }] },
      full: { steps: [{ id: 1, title: "t" }] },
    }),
    [{ steps: [{ id: 1, title: "t" }] }],
  );
  const open = { input: { kind: "line", props: {} } };
  for (
    const words of [
      '"data" is required for a line',
      "missing field `data`",
      "Missing required property: data",
    ]
  ) {
    t.strictSame(
      inputs("missing_property", words, open),
      [{ kind: "line", props: { data: "example" } }],
      words,
    );
  }
  t.strictSame(inputs("missing_property", "missing field `kind`", open), []);
  t.strictSame(inputs("missing_property", "who was not found", call), []);
  t.end();
});

t.test("stated_value: a property gets the value that the refusal states", (t) => {
  const call = { input: { path: "." }, full: { path: ".", force: false, all: false, depth: 1, mode: "a" } };
  const stated = (words: string) => inputs("stated_value", words, call);
  t.strictSame(stated("Pass force: true to go on"), [{ path: ".", force: true }]);
  t.strictSame(stated("force flag must be set to true"), [{ path: ".", force: true }]);
  t.strictSame(stated("all/force must be true"), [{ path: ".", force: true }, { path: ".", all: true }]);
  t.strictSame(stated("depth must be 3"), [{ path: ".", depth: 3 }]);
  t.strictSame(stated('set mode to "b"'), [{ path: ".", mode: "b" }]);
  t.strictSame(stated("force is not allowed"), []);
  t.end();
});

t.test("stated_type: what the schema leaves open gets the type that is stated", (t) => {
  const call = { input: { kind: "line", props: { data: "example" } } };
  const made = (words: string) => inputs("stated_type", words, call).map(({ props }) => props);
  t.strictSame(made("data must be an array"), [{ data: ["example"] }, {
    data: [{ name: "example", value: 1 }],
  }]);
  t.strictSame(made("data: expected number, received string"), [{ data: 1 }]);
  t.strictSame(made("data is not a boolean"), [{ data: true }]);
  t.strictSame(made("data must be a string"), []);
  t.strictSame(made("expected array"), [], "nothing is named");
  t.strictSame(made("data is not found"), []);
  t.end();
});

t.test("call_first: the tool that is named or described comes before", (t) => {
  const first = (words: string, tools: string[]) =>
    attempts("call_first", words, { tools }).map((attempt) => attempt.first[0]);
  const tools = ["start_timer", "open_session", "create_project", "list_projects"];
  t.strictSame(first("No timer is running. Use start_timer first.", tools), ["start_timer"]);
  t.strictSame(first("No session is open", tools), ["open_session"]);
  t.equal(first("No active project. Please create a project first.", tools)[0], "create_project");
  t.strictSame(first("Timer not started", tools), ["start_timer"]);
  t.strictSame(first("the colour is wrong", tools), []);
  t.end();
});

t.test("known_value: ids of answers take the place of made up ones, by name, subject and type", (t) => {
  const values = new KnownValues();
  const from = { at: 0, tool: "create_task" };
  values.add([
    { value: "t-9", key: ["id"], parents: [], capture: "$.output.id", from },
    { value: "p-9", key: ["project", "id"], parents: [], capture: "$.output.projectId", from },
    { value: 9, key: ["count"], parents: [], capture: "$.output.count", from },
  ]);
  const call = (name: string, input: Record<string, unknown>) => ({ name, input, values });
  const best = (name: string, input: Record<string, unknown>) =>
    inputs("known_value", "not found", call(name, input))[0];
  t.strictSame(best("get_task", { id: "1" }), { id: "t-9" });
  t.strictSame(best("close", { taskId: "1" }), { taskId: "t-9" });
  t.strictSame(best("show", { project_id: "1" }), { project_id: "p-9" });
  t.strictSame(best("link", { task_ids: ["1"] }), { task_ids: ["t-9"] });
  t.equal(best("get_task", { id: 1 }), undefined, "a number is no text");
  values.add([{
    value: "u-9",
    key: ["id"],
    parents: [],
    capture: "$.output.id",
    from: { at: 1, tool: "add_user" },
  }]);
  t.strictSame(best("get_user", { user_id: "1" }), { user_id: "u-9" });
  values.spend(["t-9"]);
  t.not(best("get_task", { id: "1" })?.id, "t-9", "what was ended is not referred to");
  t.end();
});

t.test("absolute_path: a path begins with the plugin's folder or the one that is allowed", (t) => {
  const call = { input: { path: "a/b.txt" } };
  t.strictSame(inputs("absolute_path", "path must be absolute", call), [{ path: "/work/plugin/a/b.txt" }]);
  t.strictSame(
    inputs("absolute_path", "Access denied - path outside allowed directories: /x not in /srv/data", {
      input: { path: "/x" },
    }).at(-1),
    { path: "/srv/data/x" },
  );
  t.strictSame(inputs("absolute_path", "no such file", call), []);
  t.end();
});

t.test("plain_name: a path becomes its last part where a name is wanted", (t) => {
  const call = { input: { filename: "pth-files/example.txt", folder: "a" } };
  for (const words of ["Filename cannot contain path separators", "filename must not contain '/'"]) {
    t.strictSame(inputs("plain_name", words, call), [{ filename: "example.txt", folder: "a" }], words);
  }
  t.strictSame(inputs("plain_name", "filename is a path that is not there", call), []);
  t.strictSame(inputs("plain_name", "No slashes", { input: { text: "example" } }), []);
  t.end();
});

t.test("shown_form: examples, lettered forms and patterns are followed", (t) => {
  const first = (words: string) => inputs("shown_form", words)[0]?.text;
  t.equal(first("text must look like YYYY-MM-DD, e.g. 2031-12-24"), "2031-12-24");
  t.equal(first("Invalid date format. Expected YYYY-MM-DD"), "2030-01-15");
  t.equal(first('Expected the form "owner/name"'), "owner/name");
  t.equal(first("must match pattern /^[A-Z]{3}-\\d{2}$/"), "AAA-00");
  t.equal(first("Invalid uuid"), "123e4567-e89b-42d3-a456-426614174000");
  t.equal(first("JSON must be an array of objects"), '[{"name":"example","value":1}]');
  t.equal(first("Invalid JSON: expected value at line 1 column 1"), '{"name":"example","value":1}');
  t.match(first("Invalid JWT: expected 3 parts separated by dots"), /^[\w-]+\.[\w-]+\.[\w-]+$/);
  t.equal(first("not found"), undefined);
  t.equal(first("must match (("), undefined);
  t.end();
});

t.test("number_limit: numbers and lengths come within their limits", (t) => {
  const number = (words: string) => inputs("number_limit", words, { input: { n: 1 } })[0]?.n;
  t.equal(number("n must be between 3 and 5"), 3);
  t.equal(number("n must be at least 10"), 10);
  t.equal(number("n must be greater than 10"), 11);
  t.equal(number("n should be <= 0"), 0);
  t.equal(number("Page 7 out of range (2-5)"), 2);
  t.equal(number("no such thing"), undefined);
  t.strictSame(inputs("number_limit", "text must be at least 12 characters"), [{ text: "exampleexamp" }]);
  t.end();
});

t.test("list_length: a list gets as many elements as are asked for, and its values their answers", (t) => {
  const call = { input: { paths: ["a.pdf"], pages: [1], text: "example" } };
  const made = (words: string) => inputs("list_length", words, call);
  t.strictSame(made("At least 2 PDF files are required for merging"), [
    { ...call.input, paths: ["a.pdf", "a.pdf"] },
    { ...call.input, pages: [1, 1] },
  ]);
  t.strictSame(made("pages needs three entries"), [{ ...call.input, pages: [1, 1, 1] }]);
  for (
    const words of ["text needs at least 2 characters", "requires 1 page", "at least 5000 paths", "no page"]
  ) {
    t.strictSame(made(words), [], words);
  }
  const value = {
    value: "t-9",
    key: ["id"],
    parents: [],
    capture: "$.output.id",
    from: { at: 0, tool: "add" },
  };
  const [fed] = registry.find(({ name }) => name === "list_length")!.repair({
    ...refusedCall("at least 2 ids", { input: { ids: ["t-9"] } }),
    attempt: withFeeds(plainAttempt({ ids: ["1"] }), [{ path: ["ids", 0], value }]),
  });
  t.strictSame(fed!.input, { ids: ["t-9", "t-9"] });
  t.strictSame(fed!.feeds.map(({ path }) => path), [["ids", 0], ["ids", 1]]);
  t.end();
});

t.test("different_value: one of two equal values becomes another that the schema or an answer knows", (t) => {
  const call = { input: { source: "json", target: "json" } };
  const made = (words: string, more: Call = {}) => inputs("different_value", words, { ...call, ...more });
  t.strictSame(
    made("Source and target formats are the same", { properties: { target: { enum: ["json", "yaml"] } } })[0],
    { source: "json", target: "yaml" },
  );
  const values = new KnownValues();
  const from = { at: 0, tool: "create_category" };
  values.add([{ value: "new", key: ["category"], parents: [], capture: "$.output.category", from }]);
  const move = { category: "old", to_category: "old" };
  t.strictSame(made("Chunk is already in that category", { input: move, values })[0], {
    category: "old",
    to_category: "new",
  });
  t.strictSame(made("source and target must differ")[0], { source: "json", target: "json-other" });
  t.strictSame(made("A task cannot depend on itself", { input: { id: 1, on: 2 } }), [], "nothing is alike");
  t.strictSame(made("source not found"), []);
  t.end();
});

t.test("fresh_name: what exists already gets another name", (t) => {
  t.strictSame(inputs("fresh_name", "example already exists"), [{ text: "example-learned" }]);
  t.strictSame(inputs("fresh_name", "EEXIST", { input: { path: "a.txt" } }), [{ path: "a-learned.txt" }]);
  t.strictSame(inputs("fresh_name", "not found"), []);
  t.end();
});

t.test("other_input: other valid inputs keep the values that were found", (t) => {
  t.strictSame(inputs("other_input", "?", { others: [{ text: "a" }, { text: "b" }] }), [
    { text: "a" },
    { text: "b" },
  ]);
  t.end();
});

t.test("served_page: where the network is missing, an address becomes that of a page that is served", (t) => {
  const words = "request to https://example.com/ failed: getaddrinfo ENOTFOUND example.com";
  const input = { url: "https://example.com/", note: "example" };
  const page = "http://127.0.0.1:47813/example";
  t.same(inputs("served_page", words, { input, page: true }), [{ ...input, url: `${page}.html` }]);
  t.same(
    inputs("served_page", words, { name: "read_pdf", input, page: true }).map(({ url }) => url),
    [`${page}.pdf`, `${page}.html`],
  );
  t.same(inputs("served_page", words, { input }), [], "none is served");
  t.same(inputs("served_page", "no such note: example", { input, page: true }), [], "not about the network");
  t.same(inputs("served_page", words, { input: { text: "example" }, page: true }), [], "no address");
  t.end();
});
