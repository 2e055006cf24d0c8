import t from "tap";
import type { LearnedInput } from "../../../../machines/model/learned.ts";
import { readLearned, writeLearned } from "../../../../src/testing/learn/learned_file.ts";

const learned: LearnedInput[] = [
  {
    tool: "get_task",
    setup: [{
      tool: "add_task",
      input: { title: "a $$ sign" },
      capture: { id: "/id: (\\w+)/", no: "$.output.no" },
    }],
    input: { id: "$id", when: "2030-01-15", yes: "true" },
    refusal: "no\nsuch task",
  },
  { tool: "odd name!", setup: [], input: {}, expect: { output_contains: "x" } },
];

t.test("a written file is read again as it was, and starts with how to edit it", (t) => {
  const text = writeLearned(learned);
  t.match(text, /^# Inputs that worked/);
  const { refusal: _, ...first } = learned[0]!;
  t.strictSame(readLearned("l.yaml", text), {
    learned: [{ ...first, refusal: "no such task" }, learned[1]],
    problems: [],
  });
  t.equal(writeLearned(learned), text, "the same bytes each time");
  t.end();
});

t.test("each mistake is told at its place, and the other inputs are read", (t) => {
  const mistakes: [string, string][] = [
    ["- tool: a\n  inpt: {}", '2:3 unknown key "inpt" (did you mean "input"?)'],
    ["- input: {}", "1:3 tool: expected text, is missing"],
    ["- 7", "1:3 expected a map with a tool and its input, got 7"],
    ["tool: a", '1:1 expected a list of learned inputs, got {"tool":"a"}'],
    [
      "- tool: a\n  input: { id: $x }",
      "2:16 input.id: unknown variable $x (no earlier step captures any); a plain dollar is written $$",
    ],
    [
      "- tool: a\n  setup:\n    - tool: b\n      capture: { x: id }",
      '4:21 setup[0].capture.x: expected a JSONPath, got "id": it begins with $, as in $.output.id',
    ],
    [
      "- tool: a\n  setup:\n    - tool: b\n      capture: { x: /id/ }",
      '4:21 setup[0].capture.x: expected a /pattern/, got "/id/": it has one group in (), which is captured; this has 0',
    ],
    ["- tool: a\n  setup:\n    - tol: b", "3:7 setup[0].tool: expected text, is missing"],
    ["- tool: a\n  expect: { sucess: true }", '2:13 expect: unknown key "sucess" (did you mean "success"?)'],
    ["- tool: [", "1:10"],
  ];
  for (const [text, expected] of mistakes) {
    const { problems } = readLearned("l.yaml", text);
    const told = problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
    t.ok(told[0]?.startsWith(expected), `${JSON.stringify(text)}: ${told.join("; ")}`);
  }
  const mixed = readLearned("l.yaml", "- tool: a\n- tool: b\n  x: 1\n");
  t.match(mixed, { learned: [{ tool: "a" }], problems: [{ file: "l.yaml", line: 3 }] });
  t.end();
});
