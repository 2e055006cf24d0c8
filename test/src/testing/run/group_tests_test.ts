import t from "tap";
import { groupTests } from "../../../../src/testing/run/group_tests.ts";
import { testOf } from "../observed.ts";

const generated = (id: string, tool: string) => testOf({ id, name: id, tool, generatedFrom: "schema" });
const reader = { name: "read", inputSchema: {}, annotations: { readOnlyHint: true } };
const writers = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `write${at}`, inputSchema: {} }));

t.test("each tool that may write has servers of its own, those that only read share one", (t) => {
  const tools = [reader, { ...reader, name: "look" }, ...writers(2)];
  const tests = tools.flatMap(({ name }) => [generated(`${name} 1`, name), generated(`${name} 2`, name)]);
  const { groups, reason } = groupTests(tests, tools, 100);
  t.equal(groups.get("read 1"), groups.get("look 2"));
  t.equal(groups.get("write0 1"), groups.get("write0 2"));
  t.not(groups.get("write0 1"), groups.get("write1 1"));
  t.equal(reason, "generated tests of 2 tools that may write have a server for each tool");
  t.end();
});

t.test("odd inputs are groups of their own, where several tools may write", (t) => {
  const tools = [reader, ...writers(2), { name: "delete", inputSchema: {} }];
  const odd = (tool: string) => ({ ...generated(`${tool} odd`, tool), tags: ["generated", "boundary"] });
  const tests = tools.flatMap(({ name }) => [generated(name, name), odd(name)]);
  const { groups } = groupTests(tests, tools, 100);
  t.equal(groups.get("read"), groups.get("read odd"), "what only reads leaves nothing");
  t.equal(new Set(groups.values()).size, 7);
  const one = tests.filter(({ tool }) => tool === "write0");
  t.equal(new Set(groupTests(one, tools, 100).groups.values()).size, 1, "a tool alone has one");
  t.end();
});

t.test("tests that share a server as starts take long share none over the rounds", (t) => {
  const tools = [...writers(5), { name: "delete", inputSchema: {} }];
  const odd = (tool: string) => ({ ...generated(`${tool} odd`, tool), tags: ["generated", "invalid"] });
  const tests = tools.flatMap(({ name }) => [generated(name, name), odd(name)]);
  const { groups } = groupTests(tests, tools, 5000);
  t.equal(groups.get("write3"), groups.get("write4"));
  const shared = ["write4", "write4 odd", "delete", "delete odd"].map((id) => groups.get(id));
  t.equal(new Set(shared).size, 4);
  t.end();
});

t.test("tests by hand, of several steps and with a setup have no group", (t) => {
  const tests = [
    testOf({ id: "hand", tool: "write0", generatedFrom: "manual" }),
    { ...generated("steps", "write0"), tier: 2 as const },
    { ...generated("set up", "write0"), setup: [{ exec: "true" }] },
  ];
  t.equal(groupTests(tests as never, writers(1), 100).groups.size, 0);
  t.end();
});

t.test("where a start takes long, tools beyond the time for starts share a server, and it says so", (t) => {
  const tools = writers(6);
  const { groups, reason } = groupTests(tools.map(({ name }) => generated(name, name)), tools, 5000);
  t.equal(new Set(groups.values()).size, 4, "three have one each, as few as there always are");
  t.equal(groups.get("write3"), groups.get("write5"));
  t.match(reason, /of 3 tools .*; 3 more tools share one, as a start takes 5\.0 s/);
  t.end();
});
