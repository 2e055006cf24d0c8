import t from "tap";
import { answerValues } from "../../../../src/testing/learn/answer_values.ts";
import { captureFrom } from "../../../../src/testing/judge/judge_step.ts";
import { outcome } from "./scripted_server.ts";

const valuesOf = (text: string) =>
  answerValues(outcome(text)).map(({ key, value }) => [key.join(" "), value]);

t.test("values of JSON are found with their keys", (t) => {
  t.strictSame(valuesOf('{"task":{"id":"t-1","no":7},"tags":["a"]}'), [["id", "t-1"], ["no", 7], [
    "tags",
    "a",
  ]]);
  t.match(answerValues({ ...outcome("x"), structuredContent: { list: [{ "odd key": 1 }] } }), [
    { capture: '$.output.list[0]["odd key"]', parents: ["list"] },
  ]);
  t.end();
});

t.test("values of text are found by the words before them", (t) => {
  const cases: [string, string, string | number][] = [
    ["Task created. Task ID: abc-1.", "task id", "abc-1"],
    ["session_id=s42, ready", "session id", "s42"],
    ['Created project "alpha beta"', "project", "alpha beta"],
    ["Created note 5", "note", "5"],
    ["Created note 5", "note", 5],
    ["[n7] Buy milk", "", "n7"],
    ["saved, path: /tmp/x/y.txt", "path", "/tmp/x/y.txt"],
    ['Result:\n{"id": "k9", broken', "id", "k9"],
  ];
  for (const [text, key, value] of cases) {
    t.ok(
      valuesOf(text).some(([name, each]) => name!.toString().endsWith(key) && each === value),
      `${text} → ${value}`,
    );
  }
  t.strictSame(valuesOf("All is well."), []);
  t.end();
});

t.test("each value is captured again by what is written for it", (t) => {
  for (
    const text of [
      '{"a":[{"b":1},{"b":"x"}]}',
      "Task ID: abc-1, owner: 'me', note 5, url: http://a.b/c?d, [z1] and 7 others",
      "(id: $x) {key: y.z} id: 3",
    ]
  ) {
    const seen = outcome(text);
    for (const { value, capture } of answerValues(seen)) {
      t.strictSame(captureFrom(seen, { it: capture }).values, { it: value }, capture);
    }
  }
  t.end();
});

t.test("a long or hostile answer is read within limits", (t) => {
  const texts = ["a ".repeat(200_000), "a".repeat(500_000), '"'.repeat(100_000), "x=".repeat(100_000)];
  for (const text of texts) t.ok(answerValues(outcome(text)).length <= 240);
  t.end();
});
