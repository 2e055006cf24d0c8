import t from "tap";
import { findMissing, symptomsText } from "../../../src/diagnosis/symptoms.ts";

const told = (text: string, output: string) =>
  symptomsText({ answer: { text, isError: true }, message: "failed", output });

t.test("of what stderr holds, the report of this call's error comes first", (t) => {
  const earlier = "ReferenceError: rates is not defined\n    at parse (lib/money.mjs:4:9)\n";
  const own = "TypeError: Cannot read properties of undefined\n    at entry (lib/stock.mjs:9:3)\n";
  t.equal(
    told("Cannot read properties of undefined", earlier + own),
    `Cannot read properties of undefined\nfailed\n${own}\n${earlier}${own}`,
  );
  const prefixed = told("TypeError: Cannot read properties of undefined", own + earlier);
  t.ok(prefixed.indexOf("entry") < prefixed.indexOf("rates"), "with or without its kind");
  t.end();
});

t.test("what a language tells before the error belongs to it", (t) => {
  const traceback =
    'Traceback (most recent call last):\n  File "a.py", line 3, in add\n    raise ValueError(1)\n';
  const python = `${traceback}ValueError: no such shelf\n`;
  t.ok(
    told("no such shelf", `Traceback (most recent call last):\n  File "z.py"\nKeyError: 1\n${python}`)
      .startsWith(`no such shelf\nfailed\n${python}`),
  );
  const rust = "thread 'main' panicked at src/lib.rs:7:5:\nindex out of bounds\n";
  t.ok(
    told("index out of bounds", `note: earlier\n${rust}`).startsWith(`index out of bounds\nfailed\n${rust}`),
  );
  t.end();
});

t.test("an error that the output does not report, or in few signs, changes no order", (t) => {
  t.equal(told("no", "no\nother"), "no\nfailed\nno\nother");
  t.equal(told("it is not there", "other"), "it is not there\nfailed\nother");
  t.end();
});

t.test("what is missing is named, in words that are not cut in the middle of a quotation", (t) => {
  t.same(findMissing("ModuleNotFoundError: No module named 'slugify'\n"), {
    kind: "module",
    name: "slugify",
    words: "No module named 'slugify'",
  });
  t.match(findMissing("/usr/bin/python3: No module named pip\n"), { name: "pip", words: /named pip$/ });
  t.equal(findMissing("all is well"), undefined);
  t.end();
});
