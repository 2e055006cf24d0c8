import t from "tap";
import { parseTests } from "../../../../src/testing/format/parse.ts";
import { serializeTests } from "../../../../src/testing/format/serialize_tests.ts";
import { testOf } from "../observed.ts";

const odd = [
  "line 1\nline 2\n",
  " leading",
  "trailing ",
  "tab\there",
  "yes",
  "null",
  "~",
  "1e3",
  "0x1F",
  "2024-01-15",
  "- a",
  "a: b # c",
  "'\"`",
  "${env:X}",
  "\u0000\u0007\u2028",
  "😀",
  "---",
  "x".repeat(300),
  "",
];

t.test("every text survives the way through YAML", (t) => {
  const test = testOf({
    name: "odd: #1",
    input: { odd, nested: { [odd[11]!]: null, deep: [[], {}, [{ a: false }]] }, n: -0.5, big: 1e21 },
    expect: { output_equals: odd[0], output_json: { a: [1, null] } },
    verify: [{ exec: 'printf "%s\\n" a | sed s/a/b/', expect: { expect_stdout: "b", expect_exit_code: 0 } }],
    setup: [{ exec: "true" }, { file: { path: "f", content: odd[0]! } }],
    teardown: [{ exec: "rm f" }],
    tags: ["a", "b c"],
    requiresTier: 2,
    timeoutSeconds: 2.5,
    description: "two\nlines",
  });
  const text = serializeTests([test, testOf({ name: "plain" })]);
  const read = parseTests("x.yaml", text);
  const { id: _id, file: _file, line: _line, ...facts } = read[0]!;
  const { id: _other, ...wanted } = test;
  t.same(facts, wanted);
  t.equal(read.length, 2);
  t.equal(serializeTests(read), text, "writing again gives the same bytes");
  t.end();
});

t.test("tests of all tiers come back as they were", (t) => {
  const text = `name: scenario
tier: 2
steps:
  - tool: a
    input:
      path: $$HOME
    expect:
      success: true
    capture:
      id: $.output.id
    verify:
      - exec: ls
        expect_stdout: b
    replies:
      elicitation:
        - action: accept
          content:
            x: 1
      sampling:
        - text: hi
          model: m
          stop_reason: endTurn
      roots:
        - uri: file:///r
    cancel:
      after_ms: 10
  - read_resource: a://$id
  - subscribe: a://$id
  - wait_for:
      notification: notifications/resources/updated
      params:
        uri: a://$id
      timeout_seconds: 1
  - get_prompt: p
    arguments:
      x: $id
  - tool: b
    cancel:
      on_progress: true
generated_from: manual
---
name: scripted
tier: 3
tool_sequence:
  - tool: a
checklist:
  - done
generated_from: documentation
origin: README.md:12
---
name: prompted
tier: 3
prompt: |
  Do it.
checklist:
  - done
verify:
  - exec: ls
generated_from: manual
timeout_seconds: 60
`;
  t.equal(serializeTests(parseTests("x.yaml", text)), text);
  t.end();
});

t.test("keys come in the same order, whatever order a test was built in", (t) => {
  const built = testOf({ tags: ["x"], expect: { success: true } });
  const turned = Object.fromEntries(Object.entries(built).reverse()) as unknown as typeof built;
  t.equal(serializeTests([turned]), serializeTests([built]));
  t.match(serializeTests([built]), /^name: t\ntier: 1\ntool: echo\ninput:\n {2}message: hi\nexpect:/);
  t.end();
});

t.test("what is shared in memory is written twice, without anchors", (t) => {
  const shared = { a: 1 };
  t.notMatch(serializeTests([testOf({ input: { x: shared, y: shared } })]), /[&*]/);
  t.end();
});
