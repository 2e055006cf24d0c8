import t from "tap";
import { jsonMistake, readReport } from "../../../../src/testing/report/read_report.ts";
import { toReport } from "../../../../src/testing/report/report.ts";
import { finished } from "../reporters/recorded_run.ts";

const good = JSON.parse(JSON.stringify(toReport(finished)));
const text = (value: unknown) => JSON.stringify(value, null, 2);

t.test("a report that was written is read", (t) => {
  t.equal(readReport("r.json", text(good)).summary.total, 5);
  t.end();
});

t.test("what is wrong is told at its line and column", (t) => {
  const wrong = { ...good, summary: { ...good.summary, passed: "two" }, colour: "red" };
  const lines = text(wrong).split("\n");
  const line = (part: string) => lines.findIndex((each) => each.includes(part)) + 1;
  const complain = (value: string) => {
    try {
      readReport("r.json", value);
      return "";
    } catch (error) {
      t.match(error, { code: "INVALID_INPUT", exitCode: 2 });
      return (error as Error).message;
    }
  };
  t.match(complain(text(wrong)), `r.json:${line('"two"')}:15 summary.passed: expected a number, got "two"`);
  t.match(complain(text(wrong)), `r.json:${line("colour")}:3 unknown key "colour"`);
  t.match(complain('{\n  "schema": ,\n}'), /r\.json:2:\d+ not valid/);
  t.match(complain(""), "r.json:1:1 the file is empty");
  t.match(complain("[]"), /r\.json:1:1 expected a map/);
  t.match(
    complain(text({ ...good, schema: "pth-report/9" })),
    /r\.json:2:\d+ schema: expected pth-report\/1/,
  );
  t.match(complain(text({ ...good, tests: Array.from({ length: 50 }, () => 1) })), "… and 30 more");
  t.end();
});

t.test("finds nothing in JSON", (t) => {
  for (const text of ["1", ' {"a": [1, -2.5e3, {}, [], "\\u00e9\\n", true, null]} \n', '"x"', "[[[]]]"]) {
    JSON.parse(text);
    t.equal(jsonMistake(text), undefined, text);
  }
  t.end();
});

t.test("finds the first character that cannot stand there", (t) => {
  const wrong: [string, number, string][] = [
    ['{"a": ,}', 6, "value"],
    ['{"a": 1,}', 8, "key"],
    ["[1,]", 3, "value"],
    ["[1 2]", 3, ", or ]"],
    ['{"a" 1}', 5, ":"],
    ["{a: 1}", 1, "key or }"],
    ["", 0, "value"],
    ["[1", 2, ", or ]"],
    ["1 2", 2, "the end"],
    ["[1}", 2, ", or ]"],
    ['["a\nb"]', 1, "value or ]"],
    ["[01]", 2, ", or ]"],
    ["nul", 0, "value"],
  ];
  for (const [text, offset, expected] of wrong) {
    t.throws(() => JSON.parse(text), text);
    t.same(jsonMistake(text), { offset, expected }, text);
  }
  t.end();
});
