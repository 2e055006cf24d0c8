import t from "tap";
import { PthError } from "../../../src/errors.ts";
import { parseTests } from "../../../src/testing/parse.ts";
import type { Problem } from "../../../src/testing/problems.ts";

/** "line:column message" of every problem. */
function problems(text: string, file = "t.yaml"): string[] {
  try {
    parseTests(file, text);
    return [];
  } catch (error) {
    if (!(error instanceof PthError)) throw error;
    t.equal(error.code, "INVALID_TEST_FILE");
    const found = error.context.problems as Problem[];
    for (const { line, column, message } of found) {
      t.match(error.message, `${file}:${line}:${column} ${message}`);
    }
    return found.map(({ line, column, message }) => `${line}:${column} ${message}`);
  }
}

t.test("the example of the specification reads as it is meant", (t) => {
  const [test] = parseTests(
    "a.yaml",
    `name: "restart_service - valid service"
tier: 1
requires_tier: 2
tool: sysadmin_restart_service
input:
  service: "nginx"
expect:
  success: true
  output_contains: "restarted"
verify:
  - exec: "systemctl is-active nginx"
    expect_stdout: "active"
setup:
  - exec: "mkdir -p w"
  - file: { path: w/config.yaml, content: "key: value" }
tags: ["smoke", "ssh"]
generated_from: schema
timeout_seconds: 30
`,
  );
  t.same(test, {
    id: "restart-service-valid-service",
    name: "restart_service - valid service",
    tier: 1,
    requiresTier: 2,
    tool: "sysadmin_restart_service",
    input: { service: "nginx" },
    expect: { success: true, output_contains: "restarted" },
    verify: [{ exec: "systemctl is-active nginx", expect: { expect_stdout: "active" } }],
    setup: [{ exec: "mkdir -p w" }, { file: { path: "w/config.yaml", content: "key: value" } }],
    teardown: [],
    tags: ["smoke", "ssh"],
    generatedFrom: "schema",
    timeoutSeconds: 30,
    file: "a.yaml",
    line: 1,
  });
  t.end();
});

t.test("documents, lists and JSON all hold tests, each with its line", (t) => {
  const documents = parseTests(
    "a.yaml",
    "---\nname: a\ntool: x\n---\n- name: b\n  tool: x\n- name: c\n  check: tools_list\n---\n",
  );
  t.same(documents.map(({ name, line }) => [name, line]), [["a", 2], ["b", 5], ["c", 7]]);
  const json = parseTests("a.json", '[\n\t{"name": "a", "tool": "x"},\n\t{"name": "b", "tool": "x"}\n]');
  t.same(json.map(({ name, line }) => [name, line]), [["a", 2], ["b", 3]]);
  t.same(json[0]?.input, {}, "no input is an empty one");
  t.end();
});

t.test("anchors and merge keys work", (t) => {
  const tests = parseTests(
    "a.yaml",
    "- &base\n  name: a\n  tool: x\n  expect: { success: true }\n- <<: *base\n  name: b\n",
  );
  t.same(tests.map(({ name, expect }) => [name, expect]), [["a", { success: true }], ["b", {
    success: true,
  }]]);
  t.end();
});

t.test("ids are slugs, unique and stable", (t) => {
  const text = ["Größe - ok!", "a", "a", "a 2", "***"].map((name) => `- { name: "${name}", tool: x }\n`).join(
    "",
  );
  const ids = parseTests("a.yaml", text).map(({ id }) => id);
  t.same(ids, ["grosse-ok".replace("ss", "ß"), "a", "a-3", "a-2", "test"]);
  t.same(parseTests("b.yaml", text).map(({ id }) => id), ids);
  t.end();
});

t.test("a file with ten mistakes lists ten, each at its place", (t) => {
  const text = `name: a
tol: x
tier: 1
input: [1]
expect:
  sucess: true
  output_matches: "("
timeout_seconds: -4
---
- name: b
  tool: x
  check: tools_list
- name: c
  tier: 2
  steps: []
- name: d
  tool: y
  setup:
    - exec: a
      file: { path: q, content: w }
  verify:
    - exec: 3
`;
  t.same(problems(text), [
    "1:1 expected a tool (the tool to call) or a check",
    '2:1 unknown key "tol" (did you mean "tool"?)',
    "4:8 input: expected a map, got [1]",
    '6:3 expect: unknown key "sucess" (did you mean "success"?)',
    "7:19 expect.output_matches: expected a regular expression: /(/: Unterminated group",
    "8:18 timeout_seconds: expected a number above 0, got -4",
    "12:10 check: expected one of tool and check, not both",
    "14:9 expected tier 1: tests of tier 2 cannot run in this version",
    "19:7 setup[0]: expected one of exec (a command) and file (path and content)",
    '22:13 verify[0].exec: expected text, got 3 (in quotes it is text: "3")',
  ]);
  t.end();
});

const mistakes: [what: string, text: string, ...problems: string[]][] = [
  ["an empty file", "", "1:1 expected at least one test, the file has none"],
  ["only a comment", "# later\n", "1:1 expected at least one test, the file has none"],
  ["an empty list", "[]", "1:1 expected at least one test, the file has none"],
  ["a bare text", "hello", '1:1 expected a test (a map with a name and a tool), got "hello"'],
  ["no name", "tool: x", "1:1 name: expected text, is missing"],
  ["an empty name", 'name: ""\ntool: x', '1:7 name: expected text that is not empty, got ""'],
  ["a key given twice", "name: a\ntool: x\ntool: y", "3:1 this key is given twice in the same map"],
  ["a tier that is none", "name: a\ntool: x\ntier: 4", "3:7 tier: expected one of 1, 2, 3, got 4"],
  ["a scenario", "name: a\nsteps: []", "2:8 expected tier 1: tests of tier 2 cannot run in this version"],
  ["a prompt", "name: a\nprompt: do it", "2:9 expected tier 1: tests of tier 3 cannot run in this version"],
  [
    "an unknown check",
    "name: a\ncheck: tool_list",
    '2:8 check: expected one of ends_on_eof, leaves_no_process, stdout_is_protocol, tools_list, got "tool_list"',
  ],
  ["a check with input", "name: a\ncheck: tools_list\ninput: {}", "3:8 input: a check takes no input"],
  [
    "a number to be found in text",
    "name: a\ntool: x\nexpect: { output_contains: 5 }",
    '3:28 expect.output_contains: expected text, got 5 (in quotes it is text: "5")',
  ],
  [
    "a quoted boolean",
    "name: a\ntool: x\nexpect: { success: 'true' }",
    '3:20 expect.success: expected true or false, got "true"',
  ],
  [
    "success and an error",
    "name: a\ntool: x\nexpect: { success: true, error_contains_i: no }",
    "3:44 expect.error_contains_i: error_contains_i cannot hold when success is true",
  ],
  [
    "a negative test without control",
    "name: a\ntool: x\nexpect: { refuses: enum }",
    "3:20 expect.refuses: refuses needs a control: an input that succeeds",
  ],
  [
    "an open-ended assertion among others",
    "name: a\ntool: x\nexpect: { well_behaved: true, success: true }",
    "3:9 expect: well_behaved stands alone, without other assertions",
  ],
  [
    "no timeout at all",
    "name: a\ntool: x\ntimeout_seconds: 0",
    "3:18 timeout_seconds: expected a number above 0, got 0",
  ],
  [
    "a value that JSON lacks",
    "name: a\ntool: x\ninput: { n: .inf }",
    "3:13 input.n: expected a JSON value, got Infinity",
  ],
  [
    "an unknown origin",
    "name: a\ntool: x\ngenerated_from: me",
    '3:17 generated_from: expected one of schema, source_analysis, documentation, config, manual, got "me"',
  ],
  [
    "an exit code out of range",
    "name: a\ntool: x\nverify: [{ exec: x, expect_exit_code: 256 }]",
    "3:39 verify[0].expect_exit_code: expected a number of at most 255, got 256",
  ],
  ["tags that are no list", "name: a\ntool: x\ntags: smoke", '3:7 tags: expected a list, got "smoke"'],
];

t.test("each mistake gets one clear line", (t) => {
  for (const [what, text, ...expected] of mistakes) t.same(problems(text), expected, what);
  t.end();
});

t.test("broken syntax names its place and leaves other documents readable", (t) => {
  const found = problems("name: a\ntol: x\n---\nname: [1\n---\nname: c\ntool: 7\n");
  t.match(found.find((line) => line.startsWith("2:1")), "did you mean");
  t.ok(found.some((line) => line.includes("not valid YAML")));
  t.end();
});

t.test("a .json file must be JSON, a bomb of aliases ends", (t) => {
  t.match(problems("name: a\ntool: x\n", "a.json")[0], "not valid JSON");
  const bomb = "a: &a [1,1,1,1,1,1,1,1,1]\n" +
    ["b", "c", "d", "e", "f"].map((key, n) => `${key}: &${key} [${Array(9).fill(`*${"abcde"[n]}`)}]\n`).join(
      "",
    );
  t.match(problems(bomb).join(), /alias/i);
  t.end();
});
