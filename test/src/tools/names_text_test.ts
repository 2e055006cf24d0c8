import t from "tap";
import { foldedNames } from "../../../src/tools/names_text.ts";

t.test("names with one end or one beginning are folded, whichever makes fewer", (t) => {
  t.equal(foldedNames(["add: twice", "sub: twice", "mul: once"], 9), "{add, sub}: twice; mul: once");
  t.equal(foldedNames(["add: twice", "add: once", "sub: never"], 9), "add: {twice, once}; sub: never");
  t.equal(foldedNames(["adds", "subtracts"], 9), "adds; subtracts");
  t.end();
});

t.test("what braces would change the meaning of stays whole", (t) => {
  t.equal(foldedNames(["add: a, b", "add: c"], 9), "add: a, b; add: c");
  t.equal(foldedNames(["{x}: twice", "y: twice"], 9), "{x}: twice; y: twice");
  t.end();
});

t.test("beyond the most that are told, their number is", (t) => {
  t.equal(foldedNames(["a: x", "b: x", "c: x", "d: x"], 2), "{a, b}: x; … 2 more");
  t.equal(foldedNames([], 2), "");
  t.end();
});
