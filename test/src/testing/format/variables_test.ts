import t from "tap";
import {
  escapeVariables,
  replaceVariables,
  variableReferences,
} from "../../../../src/testing/format/variables.ts";

const variables = { id: 7, name: "ann", user: { a: [1] }, none: null, ok: false };

t.test("a text that is exactly a variable keeps the value's type", (t) => {
  t.same(replaceVariables({ a: "$id", b: ["$user", "$none"], c: "$ok" }, variables), {
    a: 7,
    b: [{ a: [1] }, null],
    c: false,
  });
  t.end();
});

t.test("within a text a value becomes text", (t) => {
  t.equal(replaceVariables("/users/$id/$name", variables), "/users/7/ann");
  t.equal(replaceVariables("$user and $none", variables), '{"a":[1]} and null');
  t.equal(replaceVariables("$name.txt", variables), "ann.txt");
  t.end();
});

t.test("two dollars are one, and other dollars are text", (t) => {
  t.equal(replaceVariables("$$id costs $5", variables), "$id costs $5");
  t.equal(replaceVariables("$$", variables), "$");
  t.equal(replaceVariables("$$$id", variables), "$7");
  t.equal(replaceVariables("${env:X} a$", variables), "${env:X} a$");
  t.end();
});

t.test("what a variable holds is not read again, and inherited names are none", (t) => {
  t.equal(replaceVariables("<$a>", { a: "$b", b: 1 }), "<$b>");
  t.equal(replaceVariables("$toString $constructor", {}), "$toString $constructor");
  t.end();
});

t.test("keys of maps stay, and the value given is not changed", (t) => {
  const input = { $id: "$id" };
  t.same(replaceVariables(input, variables), { $id: 7 });
  t.same(input, { $id: "$id" });
  t.end();
});

t.test("escaped text comes back as it was", (t) => {
  for (const text of ["$id", "a$$b", "$", "5 $ or $name"]) {
    t.equal(replaceVariables(escapeVariables(text), variables), text);
  }
  t.same(variableReferences("$a $$b ${env:C} $d_1-x"), ["a", "d_1"]);
  t.end();
});
