import t from "tap";
import { orderByTool } from "../../../../src/testing/run/order_by_tool.ts";
import { testOf } from "../observed.ts";

const planned = (name: string, tool: string, generatedFrom: "manual" | "schema" = "manual") => ({
  test: testOf({ name, tool, generatedFrom }),
});
const names = (tests: ReturnType<typeof planned>[]) => orderByTool(tests).map(({ test }) => test.name);

t.test("tests of one tool follow each other in their order, tools in the order of their first test", (t) => {
  const tests = ["b", "a", "b", "c", "a"].map((tool, at) => planned(`${tool}${at}`, tool));
  t.same(names(tests), ["b0", "b2", "a1", "a4", "c3"]);
  t.end();
});

t.test("tests written by hand stay before generated ones of the same tool", (t) => {
  const byHand = [planned("a1", "a"), planned("b1", "b"), planned("a2", "a")];
  t.same(names([...byHand, planned("b2", "b", "schema"), planned("a3", "a", "schema")]), [
    "a1",
    "a2",
    "b1",
    "b2",
    "a3",
  ]);
  t.end();
});
