import t from "tap";
import type { ToolDefinition } from "../../../../machines/model/plugin.ts";
import { type Attempt, plainAttempt } from "../../../../src/testing/learn/attempt.ts";
import { inputPlaces } from "../../../../src/testing/learn/input_places.ts";
import { KnownValues } from "../../../../src/testing/learn/known_values.ts";
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
}

function attempts(repair: string, words: string, call: Call = {}): Attempt[] {
  const { name = "use_it", input = { text: "example" }, full = input, others = [], tools = [] } = call;
  const properties = Object.fromEntries(Object.keys(full).map((key) => [key, {}]));
  const own: ToolDefinition = tool(name, properties);
  return registry.find((each) => each.name === repair)!.repair({
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
  });
}

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
  ];
  for (const words of lists) {
    t.strictSame(inputs("listed_value", words), [{ text: "red" }, { text: "blue" }], words);
  }
  const two = { input: { kind: "example", colour: "other" } };
  t.strictSame(inputs("listed_value", "colour must be one of: red, blue", two), [
    { kind: "example", colour: "red" },
    { kind: "example", colour: "blue" },
  ]);
  for (const words of ["not found", "Use the tool, please.", "must be a valid path"]) {
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

t.test("shown_form: examples, lettered forms and patterns are followed", (t) => {
  const first = (words: string) => inputs("shown_form", words)[0]?.text;
  t.equal(first("text must look like YYYY-MM-DD, e.g. 2031-12-24"), "2031-12-24");
  t.equal(first("Invalid date format. Expected YYYY-MM-DD"), "2030-01-15");
  t.equal(first('Expected the form "owner/name"'), "owner/name");
  t.equal(first("must match pattern /^[A-Z]{3}-\\d{2}$/"), "AAA-00");
  t.equal(first("Invalid uuid"), "123e4567-e89b-42d3-a456-426614174000");
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
  t.equal(number("no such thing"), undefined);
  t.strictSame(inputs("number_limit", "text must be at least 12 characters"), [{ text: "exampleexamp" }]);
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
