import t from "tap";
import { linesBehindAnswer } from "../../../src/diagnosis/find_clues.ts";

const found = (text: string) => linesBehindAnswer(text.split("\n"));

t.test("the line that computes what is answered comes before the line that answers", (t) => {
  t.strictSame(found("({ a, b }) => {\n  const sum: number = a - b;\n  return say(sum);\n}"), [1, 2]);
  t.strictSame(found("def add(a, b):\n    total = a - b\n    log(a)\n    return say(total)"), [1, 3]);
  t.strictSame(found("fn add(a: i32) -> String {\n    let mut sum: i32 = a - 1;\n    return say(sum);\n}"), [
    1,
    2,
  ]);
  t.end();
});

t.test("it goes back over several lines, the nearest first", (t) => {
  const text =
    "(x) => {\n  const a = x + 1;\n  const other = 3;\n  const b = a * 2;\n  return { text: String(b) };\n}";
  t.strictSame(found(text), [3, 1, 4]);
  t.end();
});

t.test("an answer that is computed where it is given stands for itself; without any there is nothing", (t) => {
  t.strictSame(found("({ a, b }) => say(a - b)"), [0]);
  t.strictSame(found("(x) => {\n  work(x);\n}"), []);
  t.end();
});
