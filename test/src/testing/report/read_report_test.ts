import t from "tap";
import { readReport } from "../../../../src/testing/report/read_report.ts";
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
