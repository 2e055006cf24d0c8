import { fileURLToPath } from "node:url";
import t from "tap";
import type { CallOutcome } from "../../../../machines/model/plugin.ts";
import { PthError } from "../../../../src/core/errors.ts";
import { listFolder } from "../../../../src/platform/files.ts";
import { assertionTable, checkAssertion } from "../../../../src/testing/judge/assertion_table.ts";
import { answered, refused, rpcError } from "../observed.ts";

const onResponse = (key: string, expected: unknown, outcome: CallOutcome, strict = false) =>
  checkAssertion("response", key, expected, { tool: "echo", input: { message: "hi" }, outcome, strict });
const onCommand = (
  key: string,
  expected: unknown,
  result: { code?: number; stdout?: string; stderr?: string },
) => checkAssertion("command", key, expected, { code: 0, stdout: "", stderr: "", ...result });

const json = (value: unknown) => answered(JSON.stringify(value));

const responses: [pass: boolean, key: string, expected: unknown, outcome: CallOutcome][] = [
  [true, "success", true, answered("ok")],
  [false, "success", true, refused("no")],
  [false, "success", true, rpcError("no")],
  [true, "success", false, refused("no")],
  [true, "success", false, rpcError("no")],
  [false, "success", false, answered("ok")],
  [true, "output_contains", "lo W", answered("Hello World")],
  [false, "output_contains", "lo w", answered("Hello World")],
  [true, "output_contains_i", "LO w", answered("Hello World")],
  [true, "output_contains", "", answered("")],
  [true, "output_equals", "a\nb", answered("a\nb")],
  [false, "output_equals", "a", answered("a\n")],
  [false, "output_equals", "A", answered("a")],
  [true, "output_equals_i", "A", answered("a")],
  [true, "output_matches", "^a.c$", answered("abc")],
  [false, "output_matches", "^A.c$", answered("abc")],
  [true, "output_matches_i", "^A.c$", answered("abc")],
  [true, "error_contains", "not found", refused("file not found")],
  [true, "error_contains", "not found", rpcError("tool not found")],
  [false, "error_contains", "not found", answered("file not found")],
  [false, "error_contains", "NOT", refused("file not found")],
  [true, "error_contains_i", "NOT", refused("file not found")],
  [true, "output_json", { a: 1, b: [1, { c: null }] }, json({ b: [1, { c: null }], a: 1 })],
  [false, "output_json", { a: 1 }, json({ a: 1, b: 2 })],
  [false, "output_json", { a: 1, b: 2 }, json({ a: 1 })],
  [false, "output_json", { a: 1 }, json({ a: "1" })],
  [false, "output_json", [1, 2], json([2, 1])],
  [false, "output_json", [1], json([1, 2])],
  [false, "output_json", { a: null }, json({})],
  [false, "output_json", { a: 1 }, answered("not JSON")],
  [true, "output_json", null, json(null)],
  [true, "output_json", { a: 1 }, answered("for people: a is 1", { structuredContent: { a: 1 } })],
  [false, "output_json", { a: 2 }, answered('{"a":2}', { structuredContent: { a: 1 } })],
  [true, "output_json_contains", { a: { b: 1 } }, json({ a: { b: 1, c: 2 }, d: 3 })],
  [false, "output_json_contains", { a: { b: 2 } }, json({ a: { b: 1 } })],
  [
    true,
    "output_json_contains",
    { l: [{ id: 1 }, { id: 3 }] },
    json({ l: [{ id: 1 }, { id: 2 }, { id: 3, x: 1 }] }),
  ],
  [false, "output_json_contains", [3, 1], json([1, 2, 3])],
  [false, "output_json_contains", [1, 1], json([1, 2])],
  [true, "output_json_contains", [], json([1])],
  [false, "output_json_contains", { a: {} }, json({ a: [] })],
  [true, "well_behaved", true, answered("ok")],
  [true, "well_behaved", true, refused("no such file")],
  [false, "well_behaved", true, refused("echo.fn is not a function")],
  [true, "refuses", "missing_required", refused("message is required")],
  [true, "refuses", "missing_required", rpcError("Invalid params")],
  [true, "refuses", "missing_required", answered("Error: message is required")],
];

t.test("assertions on answers", (t) => {
  for (const [pass, key, expected, outcome] of responses) {
    const name = `${key} ${JSON.stringify(expected)} on ${JSON.stringify(outcome.raw)}`;
    const result = onResponse(key, expected, outcome);
    t.equal(result.pass, pass, name);
    if (!pass) t.match(result.message(), /\S/, `${name}: says why`);
  }
  t.end();
});

const commands: [
  pass: boolean,
  key: string,
  expected: unknown,
  result: { code?: number; stdout?: string },
][] = [
  [true, "expect_stdout", "active", { stdout: "active\n" }],
  [true, "expect_stdout", "active\n", { stdout: "active" }],
  [false, "expect_stdout", "active", { stdout: "active\n\n" }],
  [false, "expect_stdout", "Active", { stdout: "active\n" }],
  [true, "expect_stdout_i", "Active", { stdout: "active\n" }],
  [true, "expect_stdout_contains", "tiv", { stdout: "active" }],
  [false, "expect_stdout_contains", "TIV", { stdout: "active" }],
  [true, "expect_stdout_contains_i", "TIV", { stdout: "active" }],
  [true, "expect_stdout_matches", "^a.+e$", { stdout: "active\n" }],
  [false, "expect_stdout_matches", "^x", { stdout: "active\n" }],
  [true, "expect_stdout_matches_i", "^A", { stdout: "active\n" }],
  [true, "expect_exit_code", 0, {}],
  [false, "expect_exit_code", 0, { code: 2 }],
  [true, "expect_exit_code", 2, { code: 2 }],
];

t.test("assertions on commands", (t) => {
  for (const [pass, key, expected, result] of commands) {
    t.equal(onCommand(key, expected, result).pass, pass, `${key} ${JSON.stringify(expected)}`);
  }
  t.match(onCommand("expect_exit_code", 0, { code: 2, stderr: "no such unit\n" }).message(), "no such unit");
  t.end();
});

t.test("every assertion has at least one case that passes and one that fails", async (t) => {
  const examples = (await listFolder(fileURLToPath(new URL("../../../examples", import.meta.url)))).map((
    { name },
  ) => name);
  const verdicts = (key: string) =>
    [...responses, ...commands].filter(([, name]) => name === key).map(([pass]) => pass);
  for (const [key, { assertion, ignoreCase }] of assertionTable) {
    // An example passes once and fails once, too: test/integration/host/test_examples_test.ts runs it.
    const example = `${assertion.subject === "response" ? "expect" : "verify"}.${key}.yaml`;
    if (verdicts(key).length === 0 && examples.includes(example)) continue;
    t.ok(verdicts(key).includes(true), `${key} passes`);
    // An open-ended negative test has no failing case outside strict mode.
    if (!ignoreCase && key !== "refuses") t.ok(verdicts(key).includes(false), `${key} fails`);
  }
});

t.test("a message says where JSON differs", (t) => {
  const { message } = onResponse("output_json", { a: { b: 1 }, l: [1] }, json({ a: { b: 2 }, l: [1, 2] }));
  t.match(message(), "$.a.b: expected 1, got 2");
  t.match(message(), "$.l: expected 1 elements, got 2");
  t.end();
});

t.test("a message on long texts shows a short diff", (t) => {
  const lines = Array.from({ length: 100 }, (_, n) => `line ${n}`);
  const { message } = onResponse(
    "output_equals",
    lines.join("\n"),
    answered(lines.with(50, "odd").join("\n")),
  );
  t.match(message(), "-line 50");
  t.match(message(), "+odd");
  t.notMatch(message(), "line 20");
  t.end();
});

t.test("a huge answer gives a short message", (t) => {
  const text = "x".repeat(5_000_000);
  for (const key of ["output_contains", "output_equals", "output_matches"]) {
    t.ok(onResponse(key, "y", answered(text)).message().length < 3000, key);
  }
  t.end();
});

t.test("a refusal of valid input skips with the server's words", (t) => {
  const { skip } = onResponse("well_behaved", true, refused("no such\nfile: example"));
  t.equal(skip, "refused: needs a fixture: no such file: example");
  t.equal(onResponse("well_behaved", true, answered("ok")).skip, undefined);
  t.end();
});

t.test("acceptance of invalid input is a finding as grave as the breach", (t) => {
  const severity = (breach: string) => onResponse("refuses", breach, answered("ok")).findings?.[0]?.severity;
  t.same(["missing_required", "wrong_type", "null_required"].map(severity), [
    "warning",
    "warning",
    "warning",
  ]);
  for (const breach of ["enum", "range", "pattern", "optional_type", "extra_property"]) {
    t.equal(severity(breach), "info");
  }
  t.equal(onResponse("refuses", "enum", answered("ok")).findings?.[0]?.code, "schema-not-enforced");
  t.equal(onResponse("refuses", "enum", answered("ok"), true).pass, false, "strict makes it a failure");
  t.equal(onResponse("refuses", "enum", refused("no"), true).pass, true, "strict leaves a refusal alone");
  t.end();
});

t.test("an unknown assertion is an error, not a pass", (t) => {
  t.throws(() => onResponse("output_smells", "x", answered("ok")), PthError);
  t.throws(() => onResponse("expect_stdout", "x", answered("ok")), /no assertion on a response/);
  t.end();
});
