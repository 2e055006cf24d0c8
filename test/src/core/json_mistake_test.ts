import t from "tap";
import { jsonMistake } from "../../../src/core/json_mistake.ts";

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
