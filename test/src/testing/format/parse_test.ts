import t from "tap";
import { PthError } from "../../../../src/core/errors.ts";
import { parseTests } from "../../../../src/testing/format/parse.ts";
import type { Problem } from "../../../../src/core/problems.ts";

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

t.test("a scenario reads as it is meant", (t) => {
  const [test] = parseTests(
    "a.yaml",
    `name: a user comes and goes
steps:
  - tool: create_user
    input: { username: ann, groups: [wheel] }
    expect: { success: true }
    capture: { uid: $.output.uid }
  - tool: import_users
    cancel: { on_progress: true }
    replies:
      elicitation: [{ action: accept, content: { id: $uid } }]
      sampling: [{ text: hello, stop_reason: endTurn }]
      roots: [{ uri: "file:///r" }]
    verify: [{ exec: ls, expect_stdout: a }]
  - subscribe: user://$uid
  - wait_for: { notification: notifications/resources/updated, params: { uri: user://$uid }, timeout_seconds: 2 }
  - read_resource: user://$uid
  - get_prompt: greet
    arguments: { name: ann }
  - tool: slow
    cancel: { after_ms: 20 }
`,
  );
  const empty = { expect: {}, capture: {}, verify: [] };
  t.match(test, { tier: 2, expect: {}, verify: [], file: "a.yaml", line: 1 });
  t.same(test?.steps, [
    {
      ...empty,
      action: { kind: "call", tool: "create_user", input: { username: "ann", groups: ["wheel"] } },
      expect: { success: true },
      capture: { uid: "$.output.uid" },
      line: 3,
      column: 5,
    },
    {
      ...empty,
      action: { kind: "call", tool: "import_users", input: {} },
      verify: [{ exec: "ls", expect: { expect_stdout: "a" } }],
      replies: {
        elicitation: [{ action: "accept", content: { id: "$uid" } }],
        sampling: [{ text: "hello", stopReason: "endTurn" }],
        roots: [{ uri: "file:///r" }],
      },
      cancel: { onProgress: true },
      line: 7,
      column: 5,
    },
    { ...empty, action: { kind: "subscribe", uri: "user://$uid" }, line: 14, column: 5 },
    {
      ...empty,
      action: {
        kind: "wait_for",
        notification: "notifications/resources/updated",
        params: { uri: "user://$uid" },
        timeoutSeconds: 2,
      },
      line: 15,
      column: 5,
    },
    { ...empty, action: { kind: "read_resource", uri: "user://$uid" }, line: 16, column: 5 },
    {
      ...empty,
      action: { kind: "get_prompt", prompt: "greet", arguments: { name: "ann" } },
      line: 17,
      column: 5,
    },
    {
      ...empty,
      action: { kind: "call", tool: "slow", input: {} },
      cancel: { afterMs: 20 },
      line: 19,
      column: 5,
    },
  ]);
  t.end();
});

t.test("both kinds of agent's tests read as they are meant", (t) => {
  const [prompt, scripted] = parseTests(
    "a.yaml",
    "name: a\nprompt: |\n  Costs $5 or $HOME.\nchecklist: [paid]\norigin: README.md:3\n---\n" +
      "name: b\ntier: 3\ntool_sequence:\n  - { tool: x, capture: { id: $.text } }\n  - { tool: y, input: { id: $id } }\n" +
      "verify: [{ exec: ls }]\ntimeout_seconds: 60\n",
  );
  t.match(prompt, { tier: 3, prompt: "Costs $5 or $HOME.\n", checklist: ["paid"], origin: "README.md:3" });
  t.notOk("steps" in prompt!);
  t.match(scripted, { tier: 3, timeoutSeconds: 60, verify: [{ exec: "ls" }] });
  t.same(scripted?.steps?.map(({ action, line }) => [action, line]), [
    [{ kind: "call", tool: "x", input: {} }, 10],
    [{ kind: "call", tool: "y", input: { id: "$id" } }, 11],
  ]);
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
  const text = ["Größe - ok!", "a", "a!", "a 2", "***"].map((name) => `- { name: "${name}", tool: x }\n`)
    .join(
      "",
    );
  const ids = parseTests("a.yaml", text).map(({ id }) => id);
  t.same(ids, ["grosse-ok".replace("ss", "ß"), "a", "a-3", "a-2", "test"]);
  t.same(parseTests("b.yaml", text).map(({ id }) => id), ids);
  t.end();
});

const oneSubject =
  "expected one of tool (the tool to call), check, steps (a scenario), prompt and tool_sequence (an agent's work)";

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
    `1:1 ${oneSubject}`,
    '2:1 unknown key "tol" (did you mean "tool"?)',
    "4:8 input: expected a map, got [1]",
    '6:3 expect: unknown key "sucess" (did you mean "success"?)',
    "7:19 expect.output_matches: expected a regular expression: /(/: Unterminated group",
    "8:18 timeout_seconds: expected a number above 0, got -4",
    "12:10 check: expected one of tool and check, not both",
    "15:10 steps: expected at least one step",
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
  ["a scenario without steps", "name: a\nsteps: []", "2:8 steps: expected at least one step"],
  [
    "a tier that the test is not of",
    "name: a\ntier: 1\nsteps: [{ tool: x }]",
    "2:7 tier: expected 2, the tier of a test with steps, got 1",
  ],
  [
    "a prompt beside a sequence",
    "name: a\nprompt: do it\ntool_sequence: [{ tool: x }]\nchecklist: [done]",
    "3:16 tool_sequence: expected one of prompt and tool_sequence, not both",
  ],
  [
    "a prompt that nothing judges",
    "name: a\nprompt: do it",
    "2:9 prompt: expected a checklist or verify with a prompt: nothing else would judge it",
  ],
  [
    "input beside steps",
    "name: a\nsteps: [{ tool: x }]\ninput: {}",
    "3:8 input: a test with steps takes no input: it belongs to the steps",
  ],
  [
    "a checklist on a call",
    "name: a\ntool: x\nchecklist: [done]",
    "3:12 checklist: a test with tool takes no checklist: that is for tier 3",
  ],
  [
    "a step that does nothing",
    "name: a\nsteps:\n  - expect: { success: true }",
    "3:5 steps[0]: expected one of tool, read_resource, subscribe, get_prompt, wait_for",
  ],
  [
    "a step that does two things",
    "name: a\nsteps:\n  - tool: x\n    read_resource: a://b",
    "4:20 steps[0].read_resource: expected one of tool and read_resource, not both: a step does one thing",
  ],
  [
    "input of a prompt",
    "name: a\nsteps:\n  - get_prompt: x\n    input: { a: 1 }",
    "4:12 steps[0].input: only a step with tool takes input",
  ],
  [
    "a mistyped key of a step",
    "name: a\nsteps:\n  - tool: x\n    captures: {}",
    '4:5 steps[0]: unknown key "captures" (did you mean "capture"?)',
  ],
  [
    "a mistyped key deep in a step",
    "name: a\nsteps:\n  - tool: x\n    replies:\n      sampling:\n        - { text: a, modle: b }",
    '6:22 steps[0].replies.sampling[0]: unknown key "modle" (did you mean "model"?)',
  ],
  [
    "a mistyped assertion in a sequence",
    "name: a\ntool_sequence:\n  - tool: x\n    verify: [{ exec: ls, expect_stdot: a }]",
    '4:26 tool_sequence[0].verify[0]: unknown key "expect_stdot" (did you mean "expect_stdout"?)',
  ],
  [
    "a reply that declines with content",
    "name: a\nsteps:\n  - tool: x\n    replies: { elicitation: [{ action: decline, content: {} }] }",
    "4:58 steps[0].replies.elicitation[0].content: only accept takes content",
  ],
  [
    "a call that is cancelled twice",
    "name: a\nsteps:\n  - tool: x\n    cancel: { after_ms: 5, on_progress: true }",
    "4:13 steps[0].cancel: expected one of after_ms (milliseconds) and on_progress (true)",
  ],
  [
    "an assertion that needs a control, in a step",
    "name: a\nsteps: [{ tool: x, expect: { refuses: enum } }]",
    "2:39 steps[0].expect.refuses: refuses is for tests of one call, not for steps",
  ],
  [
    "a JSONPath with a mistake",
    "name: a\nsteps:\n  - tool: x\n    capture:\n      id: $.output[",
    '5:11 steps[0].capture.id: expected a JSONPath, got "$.output[": unclosed bracketed selection (character 10)',
  ],
  [
    "a JSONPath that does not begin with $",
    "name: a\nsteps: [{ tool: x, capture: { id: output.id } }]",
    '2:35 steps[0].capture.id: expected a JSONPath, got "output.id": it begins with $, as in $.output.id',
  ],
  [
    "a variable that no object can hold",
    "name: a\nsteps: [{ tool: x, capture: { __proto__: $.output } }]",
    "2:31 steps[0].capture.__proto__: expected the name of a variable: letters, digits and _",
  ],
  [
    "a variable with an odd name",
    "name: a\nsteps: [{ tool: x, capture: { user-id: $.output } }]",
    "2:31 steps[0].capture.user-id: expected the name of a variable: letters, digits and _",
  ],
  [
    "an unknown variable",
    'name: a\nsteps:\n  - tool: x\n    capture: { uid: $.output.uid }\n  - tool: y\n    input: { a: [1, "is $udi"] }',
    '6:21 steps[1].input.a[1]: unknown variable $udi (did you mean "uid"?); a plain dollar is written $$',
  ],
  [
    "a variable in braces, as shells have it",
    'name: a\nsteps:\n  - tool: x\n    capture: { uid: $.output.uid }\n  - tool: y\n    input: { a: "${uid}-x" }',
    "6:17 steps[1].input.a: expected $uid, without braces, for what was captured; a plain dollar is written $$",
  ],
  [
    "a variable that nothing captures",
    "name: a\nsteps: [{ tool: x, input: { path: $HOME } }]",
    "2:35 steps[0].input.path: unknown variable $HOME (no earlier step captures any); a plain dollar is written $$",
  ],
  [
    "a step that uses what it captures itself",
    "name: a\nsteps: [{ tool: x, input: { id: $id }, capture: { id: $.output.id } }]",
    "2:33 steps[0].input.id: recursive capture: $id is what this step itself captures, from an answer that comes after it",
  ],
  [
    "two steps that wait for each other",
    "name: a\nsteps:\n  - { read_resource: 'n://$b', capture: { a: $.text } }\n  - { tool: x, input: { a: $a }, capture: { b: $.text } }",
    "3:22 steps[0].read_resource: recursive capture: $b is used before step 2 captures it; a step sees what earlier ones captured",
  ],
  [
    "a file outside of the folder",
    "name: a\ntool: x\nsetup:\n  - file: { path: a/../../b, content: c }",
    "4:19 setup[0].file.path: expected a path within the plugin's folder, or an absolute one in the environment; this one leaves the folder",
  ],
  [
    "an unknown check",
    "name: a\ncheck: tool_list",
    '2:8 check: expected one of answers_calls_at_once, answers_ping, answers_unknown_methods, applies_stated_defaults, asks_nothing_undeclared, capabilities_answer, ends_endless_code, ends_on_eof, leaves_no_process, lists_page, stdout_is_protocol, survives_cancellation, tools_list, got "tool_list"',
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
    '3:17 generated_from: expected one of schema, source_analysis, documentation, config, learned, manual, got "me"',
  ],
  [
    "an exit code out of range",
    "name: a\ntool: x\nverify: [{ exec: x, expect_exit_code: 256 }]",
    "3:39 verify[0].expect_exit_code: expected a number of at most 255, got 256",
  ],
  ["tags that are no list", "name: a\ntool: x\ntags: smoke", '3:7 tags: expected a list, got "smoke"'],
];

t.test("a pattern that runs away is refused where it stands, one that only looks so is not", (t) => {
  const verify = "verify: [{ exec: ls, expect_stdout_matches: '^(?:\\w+, )*\\w+$' }]";
  t.same(problems(`name: a\ntool: x\nexpect:\n  output_matches: ^(a+)+$\n${verify}\n`), [
    "4:19 expect.output_matches: expected a regular expression that ends: /^(a+)+$/ runs away, for example on " +
    `"${"a".repeat(39)}… (408 characters)`,
  ]);
  t.end();
});

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
