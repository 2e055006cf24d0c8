import t from "tap";
import type { CallOutcome } from "../../../../machines/model/plugin.ts";
import { misleadingFinding, misleadingKind } from "../../../../src/testing/judge/misleading_kind.ts";
import { answered, refused, rpcError } from "../observed.ts";

const kindOf = (outcome: CallOutcome, input: Record<string, unknown> = {}, description = "") =>
  misleadingKind({ outcome, input, definition: { name: "act", description, inputSchema: {} } });

const errors = [
  "Error: Unable to list components. fetch failed",
  "❌ Error: no such note",
  "**Error:** no such note\nTry another id.",
  "Error fetching theme variables: fetch failed",
  "An unexpected error occurred while reading the file: EACCES",
  "Failed to read notes.json",
  "Could not find the project",
  "Unable to connect to localhost:5432",
  "❌ Unable to check for updates. Please ensure you have internet connectivity.",
  "ValueError: invalid literal for int()",
  "Error: boom\n    at run (/srv/index.js:3:7)\n    at main (/srv/index.js:9:3)",
  '{"error": "Request not found"}',
  '{"status": "error", "message": "Request not found"}',
  '{"success": false, "message": "no such note", "code": 404}',
  '{"error": {"code": 7, "message": "no such note"}}',
];

t.test("a placeholder among the values of a structured answer counts, and is shown", (t) => {
  const structured = (structuredContent: unknown, text = "Measured."): CallOutcome => ({
    ...answered(text),
    structuredContent,
  });
  for (const value of ["undefined", "NaN", "[object Object]"]) {
    const outcome = structured({ rows: [{ size: value }] });
    t.equal(kindOf(outcome), "value-missing-in-answer", value);
    const { message } = misleadingFinding("value-missing-in-answer", "act", { outcome, input: {} });
    t.match(message, value);
    t.equal(kindOf({ ...outcome, isError: true }), undefined, "an error is no answer");
  }
  t.equal(kindOf(structured({ size: 3, type: "undefined" })), undefined, "what is about values");
  t.equal(kindOf(structured({ size: "NaN" }), { size: "NaN" }), undefined, "what the input brought");
  t.equal(kindOf(structured({ text: "[object Object] ".repeat(500) })), undefined, "a document");
  t.end();
});

t.test("a success whose whole text is an error is an error told as success", (t) => {
  for (const text of errors) t.equal(kindOf(answered(text)), "error-told-as-success", text);
  for (const text of errors) t.equal(kindOf(refused(text)), undefined, `with isError: ${text}`);
  t.end();
});

const honest: [string, Record<string, unknown>?, string?][] = [
  ["No results found for x"],
  ["Error handling: wrap each call in try and catch."],
  ["Errors are logged to stderr."],
  ["Failed tests: 0"],
  ["# Error codes\n\n404: not found"],
  [`Error: no such note\n${"A long document follows. ".repeat(40)}`],
  ["Error: 1\nWarning: 2\nInfo: 3\nDebug: 4\nTrace: 5"],
  ["Echo: Error: boom", { message: "Error: boom" }],
  ["Error: boom", { message: "Error: boom" }],
  ["Error: Operation failed", { messageType: "error" }],
  ["ReferenceError: example is not defined", { code: "example" }],
  ['{"valid": false, "error": "line 1: no JSON"}'],
  ['{"error": null, "message": "stored"}'],
  ['{"error": "timeout", "results": []}'],
  ['{"message": "stored"}'],
  ["The value is undefined when the key is missing"],
  ["Result: null"],
  ["Returns null."],
  ["It gave 1 instead of undefined"],
  ["Warning: cannot read properties of undefined"],
  ["a: undefined behaviour of the language"],
  ["type: string | undefined"],
  ["const x = undefined;\nreturn x;"],
  ["```js\nlet x: undefined\n```"],
  ["foo is not NaN"],
  ['{"owner": null, "default": "undefined"}'],
  ["Hello undefined!", { name: "undefined" }],
  ["Sum: NaN", {}, "Adds two numbers, NaN where one is missing"],
  [Array.from({ length: 20 }, (_, index) => `line ${index}: undefined`).join("\n")],
  ["Name: nullable\nUser: undefined_user\nFile: undefined.txt, /srv/undefined/x"],
  [""],
];

t.test("documents, reports, code and what the input brought mislead nobody", (t) => {
  for (const [text, input, description] of honest) {
    t.equal(kindOf(answered(text), input, description), undefined, text.slice(0, 60));
  }
  const picture = answered("Error: x", {
    content: [{ type: "text", text: "Error: x" }, { type: "image", data: "", mimeType: "image/png" }],
  });
  t.equal(kindOf(picture), undefined, "beside a picture");
  t.end();
});

t.test("a success that shows a placeholder misses a value", (t) => {
  for (
    const text of [
      "Sum: NaN",
      "NaN",
      "The average is: NaN%",
      "Hello undefined, welcome",
      "Started logging for session undefined at a 5 second pace",
      "Stored the note of undefined",
      "User: [object Object]",
      "Created by null.",
      '{"sum": NaN}',
      '{"name": "undefined"}',
      '{"tags": ["[object Object]"]}',
    ]
  ) t.equal(kindOf(answered(text)), "value-missing-in-answer", text);
  t.end();
});

t.test("an isError whose text tells of a success is a success told as error", (t) => {
  for (
    const text of [
      "Success",
      "✅ Successfully created the note",
      "Note was saved successfully",
      "OK",
      '{"success": true}',
    ]
  ) {
    t.equal(kindOf(refused(text)), "success-told-as-error", text);
    t.equal(kindOf(answered(text)), undefined, `without isError: ${text}`);
    t.equal(kindOf(rpcError(text)), undefined, `as JSON-RPC error: ${text}`);
  }
  for (
    const text of [
      "The note was not saved successfully",
      "Connected successfully, but the query failed",
      "Successful responses only",
      "okra is no key",
      '{"success": true, "error": "x"}',
    ]
  ) t.equal(kindOf(refused(text)), undefined, text);
  t.end();
});

t.test("the finding names the tool, its code and one call", (t) => {
  const call = { outcome: answered("Sum: NaN\n"), input: { a: 1 } };
  t.match(misleadingFinding("value-missing-in-answer", "add", call), {
    severity: "warning",
    code: "value-missing-in-answer",
    tool: "add",
    message: /^add shows a placeholder .*: "Sum: NaN", called with \{"a":1\}$/,
  });
  t.end();
});

t.test("texts of any kind are looked at in no time to speak of", (t) => {
  const started = performance.now();
  for (
    const piece of [
      "error ",
      "Error: ",
      "undefined ",
      '"a":',
      "an ",
      "\n",
      "NaN",
      "[object Object] ",
      "{",
      "at x:",
    ]
  ) {
    for (const size of [600, 3_000_000]) {
      const text = piece.repeat(Math.floor(size / piece.length));
      kindOf(answered(text), { text });
      kindOf(refused(text), { a: "error" });
    }
  }
  t.ok(performance.now() - started < 3000, `${performance.now() - started} ms`);
  t.end();
});
