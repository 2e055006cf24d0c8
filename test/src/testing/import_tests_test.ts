import t from "tap";
import type { PthError } from "../../../src/core/errors.ts";
import { type ImportedFile, importTests } from "../../../src/testing/import_tests.ts";
import { parseTests } from "../../../src/testing/format/parse.ts";
import { serializeTests } from "../../../src/testing/format/serialize_tests.ts";

const places = (problems: ImportedFile["lost"]) =>
  problems.map(({ line, column, message }) => `${line}:${column} ${message}`);

/** The imported tests as they are read back from the file that would be written. */
function written(imported: ImportedFile) {
  const tests = parseTests("imported.yaml", serializeTests(imported.tests));
  t.same(tests.map(({ name }) => name), imported.tests.map(({ name }) => name), "all are read back");
  return tests;
}

const tester = `tools:
  expected_tool_list: [add]
  tests:
    - name: adds
      tool: add
      params: { a: 1, b: 2 }
      expect: { success: true, result: { contains: "3", schema: { type: object } } }
    - name: refuses words
      tool: add
      params: { a: one }
      expect: { success: false, error: { contains: number } }
    - name: keeps a sum
      calls:
        - tool: add
          params: { a: 1, b: 1 }
          expect: { success: true, result: { equals: "2" } }
        - tool: last
          params: {}
          expect: { success: true, result: { equals: { sum: 2 } } }
evals:
  models: [some-model]
  timeout: 30000
  tests:
    - name: adds on request
      prompt: Add one and two.
      expected_tool_calls: { required: [add], allowed: [add, last] }
      response_scorers:
        - { type: regex, pattern: "three|3" }
        - { type: llm-judge, criteria: The sum is told, threshold: 0.8 }
`;

t.test("mcp-server-tester: calls, scenarios and prompts", (t) => {
  const imported = importTests("suite.yaml", tester);
  t.equal(imported.format, "mcp-server-tester");
  t.same(imported.problems, []);
  t.same(places(imported.lost), [
    "2:3 tools.expected_tool_list: keep the list of tools as a contract",
    "7:57 tools.tests[0].expect.result.schema: no assertion compares an answer with a schema of the test's own",
    "21:3 evals.models: the driver of the prompt chooses",
    "29:57 evals.tests[0].response_scorers[1].threshold: an item of a checklist holds or does not",
  ]);
  const [adds, refuses, sums, request] = written(imported);
  t.match(adds, {
    tier: 1,
    tool: "add",
    input: { a: 1, b: 2 },
    expect: { success: true, output_contains: "3" },
  });
  t.match(refuses, { expect: { success: false, error_contains: "number" } });
  t.match(sums, {
    tier: 2,
    steps: [{ expect: { output_equals: "2" } }, { expect: { output_json: { sum: 2 } } }],
  });
  t.match(request, { tier: 3, prompt: "Add one and two.", timeoutSeconds: 30 });
  t.same(request!.checklist, [
    "The tool add was called",
    "No other tools were called than add, last",
    "The final answer matches the pattern three|3",
    "The sum is told",
  ]);
  t.end();
});

const aegis = `description: notes
tests:
  - it: lists tools
    request: { jsonrpc: "2.0", id: "0", method: tools/list, params: {} }
    expect: { response: { result: { tools: "match:arrayLength:1" } } }
  - it: reads a note
    request:
      jsonrpc: "2.0"
      id: "1"
      method: tools/call
      params: { name: read_note, arguments: { id: 7 } }
    expect:
      response:
        jsonrpc: "2.0"
        id: "1"
        result:
          content:
            - { type: text, text: "match:startsWith:Note 7 (" }
          isError: false
      performance: { maxResponseTime: "500ms" }
      stderr: toBeEmpty
  - it: refuses an unknown note
    request: { method: tools/call, params: { name: read_note, arguments: { id: 0 } } }
    expect: { response: { error: { code: -32602, message: "match:contains:no note" } } }
  - it: tells parts
    request: { method: tools/call, params: { name: parts } }
    expect: { response: { result: { "match:partial": { content: [{ type: text, text: a }, { type: text, text: b }], structuredContent: { n: 1 } } } } }
  - it: reads a resource
    request: { method: resources/read, params: { uri: "note://7" } }
    expect: { response: { result: { contents: "match:type:array" } } }
`;

t.test("mcp-aegis: requests with patterns", (t) => {
  const imported = importTests("notes.test.mcp.yml", aegis);
  t.equal(imported.format, "mcp-aegis");
  t.same(imported.problems, []);
  t.same(places(imported.lost), [
    "4:41 tests[0].request.method: the test is left out: keep the list of tools as a contract",
    "21:7 tests[1].expect.stderr: no assertion on what a server logs",
    "20:7 tests[1].expect.performance: measure response times with a performance suite",
    "24:36 tests[2].expect.response.error.code: any error counts as a refusal",
    "30:37 tests[4].expect.response.result.contents: no assertion for this part of an answer",
  ]);
  const [reads, refuses, parts, resource] = written(imported);
  t.match(reads, { tool: "read_note", input: { id: 7 } });
  t.same(reads!.expect, { output_matches: "^Note 7 \\(", success: true });
  t.same(refuses!.expect, { success: false, error_contains: "no note" });
  t.same(parts!.expect, { output_equals: "a\nb", output_json: { n: 1 } });
  t.match(resource, { tier: 2, steps: [{ action: { kind: "read_resource", uri: "note://7" } }] });
  t.end();
});

const autotest = `case: counts
in: { jsonrpc: "2.0", id: 1, method: tools/call, params: { name: count, arguments: { text: abc } } }
out: { jsonrpc: "2.0", id: 1, result: { content: [{ type: text, text: !!ere "about /[0-9]+/ (letters)" }], isError: false } }
---
case: counts twice
in_init: { jsonrpc: "2.0", id: 0, method: initialize, params: {} }
out_init: { jsonrpc: "2.0", id: 0, result: {} }
in_first: { jsonrpc: "2.0", id: 1, method: tools/call, params: { name: count, arguments: { text: a } } }
in_second: { jsonrpc: "2.0", id: 2, method: tools/call, params: { name: count } }
out_second: { jsonrpc: "2.0", id: 2, error: { code: -32602, message: text is missing } }
out_first: { jsonrpc: "2.0", id: 1, result: { content: [{ type: text, text: !!re "^[0-9]$" }] } }
---
case: pings
in: { jsonrpc: "2.0", id: 1, method: ping }
out: { jsonrpc: "2.0", id: 1, result: {} }
`;

t.test("mcp-autotest: messages in and out, matched by their ids", (t) => {
  const imported = importTests("count_test.yaml", autotest);
  t.equal(imported.format, "mcp-autotest");
  t.same(imported.problems, []);
  t.same(places(imported.lost), [
    "6:1 in_init: pth shakes hands by itself, and asserts nothing of it",
    "10:47 out_second.error.code: any error counts as a refusal",
    "14:1 in: the case is left out: no test sends ping",
  ]);
  const [once, twice] = written(imported);
  t.same(once!.expect, { output_matches: "^about [0-9]+ \\(letters\\)$", success: true });
  t.match(twice, { tier: 2 });
  t.same(twice!.steps!.map(({ expect }) => expect), [
    { output_matches: "^[0-9]$" },
    { success: false, error_contains: "text is missing" },
  ]);
  t.equal(imported.tests.length, 2);
  t.end();
});

t.test("unknown keys and wrong values are told at their places; the rest is imported", (t) => {
  const text = tester.replace(
    "expect: { success: false, error",
    "retry: 3\n      expect: { success: false, eror",
  )
    .replace("      tool: add\n      params: { a: 1, b: 2 }", "      tool: 12\n      params: { a: 1, b: 2 }");
  const imported = importTests("suite.yaml", text);
  t.same(places(imported.problems), [
    "5:7 tools.tests[0].tool: expected text, got 12",
    '11:7 tools.tests[1].retry: unknown key "retry" (known: name, tool, params, expect)',
    '12:33 tools.tests[1].expect.eror: unknown key "eror" (did you mean "error"?)',
  ]);
  t.same(imported.tests.map(({ name }) => name), ["refuses words", "keeps a sum", "adds on request"]);
  t.end();
});

t.test("two tests of one name get names of their own", (t) => {
  const text = tester.replace("name: refuses words", "name: adds");
  t.same(importTests("suite.yaml", text).tests.slice(0, 2).map(({ name }) => name), ["adds", "adds (2)"]);
  t.end();
});

t.test("what is no suite of a known format is refused", (t) => {
  const message = (file: string, text: string, format?: string) => {
    try {
      importTests(file, text, format);
      return "";
    } catch (error) {
      t.equal((error as PthError).exitCode, 2);
      return (error as Error).message;
    }
  };
  t.match(message("a.yaml", "a: 1"), "a.yaml looks like none of mcp-aegis, mcp-autotest, mcp-server-tester");
  t.match(message("a.yaml", tester, "other"), "there is no format other");
  t.match(message("a.yaml", "a: [1"), /a\.yaml:1:\d+ not valid YAML/);
  t.match(message("a.yaml", ""), "a.yaml:1:1 expected tests, the file is empty");
  t.end();
});
