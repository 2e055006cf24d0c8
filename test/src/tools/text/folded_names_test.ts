import t from "tap";
import { foldedNames } from "../../../../src/tools/text/folded_names.ts";

t.test("names with parts alike are told once, as shells write them", (t) => {
  t.equal(foldedNames(["add: twice", "sub: twice", "mul: once"], 9), "{add|sub}: twice; mul: once");
  t.equal(foldedNames(["add - a, b", "add - c", "sub - d"], 9), "add - {a, b|c}; sub - d");
  const all = ["add", "sub"].flatMap((tool) => [`${tool} - answers`, `${tool} - refuses null`]);
  t.equal(foldedNames(all, 9), "{add|sub} - {answers|refuses null}");
  t.equal(foldedNames(["adds", "subtracts"], 9), "adds; subtracts");
  t.equal(foldedNames(["a: x", "a - y"], 9), "a{: x| - y}");
  t.end();
});

t.test("what braces would change the meaning of stays whole", (t) => {
  t.equal(foldedNames(["add: a|b", "add: c"], 9), "add: a|b; add: c");
  t.equal(foldedNames(["{x}: twice", "y: twice"], 9), "{x}: twice; y: twice");
  t.end();
});

t.test("beyond the most that are told, their number is", (t) => {
  t.equal(foldedNames(["a: x", "b: y", "c: z", "d: z"], 2), "a: x; b: y; … 2 more");
  const many = Array.from({ length: 20 }, (_, at) => `tool${at} - answers`);
  t.match(foldedNames(many, 2), /^\{tool0\|.*\|tool11\|… 8 more\} - answers$/);
  t.match(foldedNames(many, Infinity), /\|tool19\} - answers$/);
  t.equal(foldedNames([], 2), "");
  t.end();
});
