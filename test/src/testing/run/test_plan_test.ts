import t from "tap";
import type { ToolDefinition } from "../../../../machines/model/plugin.ts";
import type { TestCase } from "../../../../machines/model/test_case.ts";
import {
  chooseWorkers,
  exerciseCalls,
  filterTests,
  orderTests,
  planSuite,
  serversAhead,
} from "../../../../src/testing/run/test_plan.ts";
import { testOf } from "../observed.ts";

const test = (id: string, more: Partial<TestCase> = {}) => testOf({ id, name: id, ...more });
const ids = (tests: readonly TestCase[]) => tests.map(({ id }) => id);
const all = [
  test("a", { tags: ["smoke"] }),
  test("b", { tool: "other", generatedFrom: "schema" }),
  test("c", { requiresTier: 2, tags: ["smoke", "slow"] }),
];

t.test("filters narrow, and narrow together", (t) => {
  t.same(ids(filterTests(all, {})), ["a", "b", "c"]);
  t.same(ids(filterTests(all, { tag: "smoke" })), ["a", "c"]);
  t.same(ids(filterTests(all, { tool: "other" })), ["b"]);
  t.same(ids(filterTests(all, { generatedFrom: "manual", grep: "^[bc]" })), ["c"]);
  t.same(ids(filterTests(all, { ids: ["b", "zz"] })), ["b"]);
  t.same(ids(filterTests(all, { tier: 2 })), []);
  t.same(ids(filterTests(all, { status: "failed" }, new Map([["b", "failed"], ["a", "passed"]]))), ["b"]);
  t.same(ids(filterTests(all, { status: "failed" })), [], "nothing has run yet");
  t.throws(() => filterTests(all, { grep: "(" }), { code: "INVALID_INPUT" });
  t.end();
});

t.test("a test that needs a higher tier is skipped with the reason", (t) => {
  const plan = planSuite(all, {}, { tier: 1 });
  t.same(ids(plan.run), ["a", "b"]);
  t.match(plan.skipped, [{
    test: { id: "c" },
    reason: "needs an environment of tier 2 (a container with systemd), this one is tier 1",
  }]);
  t.same(planSuite(all, {}, { tier: 2 }).skipped, []);
  t.end();
});

t.test("a filter that matches nothing is an error that names it", (t) => {
  t.throws(() => planSuite(all, { tag: "smok" }, { tier: 1 }), {
    code: "NO_TESTS_MATCH",
    message: 'Cannot run tests: none of 3 has tag "smok"',
    context: { next: ["Tags that exist: slow, smoke"] },
  });
  t.throws(() => planSuite(all, { grep: "zz" }, { tier: 1 }), {
    code: "NO_TESTS_MATCH",
    context: { next: [/^Names that exist: "[^"]+", / as unknown as string] },
  });
  t.throws(() => planSuite([], {}, { tier: 1 }), { code: "NO_TESTS_MATCH", message: /there are none/ });
  t.end();
});

t.test("checks first, then tests by hand in their order, then generated ones, valid before invalid", (t) => {
  const generated = (id: string, tool: string, kind: string) => test(id, { tool, tags: ["generated", kind] });
  const mixed = [
    generated("x-invalid", "x", "invalid"),
    test("hand 2"),
    generated("y-valid", "y", "valid"),
    generated("x-valid", "x", "valid"),
    test("hand 1", { tool: "x" }),
    test("check", { check: "tools_list", tags: ["generated", "server"] }),
    generated("x-boundary", "x", "boundary"),
  ];
  t.same(ids(orderTests(mixed)), [
    "check",
    "hand 2",
    "hand 1",
    "x-valid",
    "y-valid",
    "x-boundary",
    "x-invalid",
  ]);
  t.end();
});

t.test("inputs at a bound and then invalid ones come after the usual ones of all that write, tools that end things last", (t) => {
  const generated = (tool: string, kind: string) =>
    test(`${tool} ${kind}`, { tool, tags: ["generated", kind] });
  const kinds = (tool: string) => ["invalid", "boundary", "valid"].map((kind) => generated(tool, kind));
  const tools = [
    { name: "read", inputSchema: {}, annotations: { readOnlyHint: true } },
    { name: "create", inputSchema: {} },
    { name: "rename", inputSchema: {} },
    { name: "reset", inputSchema: {} },
    { name: "delete", inputSchema: {} },
  ];
  t.same(ids(orderTests(tools.flatMap(({ name }) => kinds(name)), tools)), [
    "read boundary",
    "read valid",
    "read invalid",
    "create valid",
    "rename valid",
    "create boundary",
    "rename boundary",
    "create invalid",
    "rename invalid",
    "reset valid",
    "delete valid",
    "reset boundary",
    "delete boundary",
    "reset invalid",
    "delete invalid",
  ]);
  t.end();
});

t.test("workers", (t) => {
  const tool = (name: string, readOnlyHint?: boolean): ToolDefinition => ({
    name,
    inputSchema: {},
    ...(readOnlyHint === undefined ? {} : { annotations: { readOnlyHint } }),
  });
  const tests = [test("1", { tool: "x" }), test("2", { tool: "y" }), test("3", { tool: "x" })];
  const readers = [tool("x", true), tool("y", true), tool("z")];
  t.match(chooseWorkers(tests, readers, 2), { workers: 2, reason: /read-only/ });
  t.match(chooseWorkers(tests, readers, 16), { workers: 3 }, "never more than tests");
  t.match(chooseWorkers(tests, [tool("x", true), tool("y")], 8), {
    workers: 1,
    reason: /^y does not declare/,
  });
  t.match(chooseWorkers(tests, [tool("x", true)], 8), { workers: 1 }, "an unlisted tool declares nothing");
  t.match(
    chooseWorkers(tests, [tool("x"), tool("y")], 1, 3),
    { workers: 3, reason: "as asked" },
    "a number is obeyed",
  );
  t.match(chooseWorkers(tests, readers, 2, 9), { workers: 3 });
  t.match(chooseWorkers([test("s", { tier: 2 }), test("u", { tier: 2 })], readers, 8, 4), { workers: 1 });
  for (const asked of [0, -1, 1.5, NaN]) {
    t.throws(() => chooseWorkers(tests, readers, 2, asked), { code: "INVALID_INPUT" }, String(asked));
  }
  t.end();
});

t.test("a server is exercised with one valid input of each tool", (t) => {
  const valid = (tool: string, n: number) =>
    test(`${tool}${n}`, { tool, input: { n }, expect: { well_behaved: true } });
  const tests = [
    test("hand"),
    valid("x", 1),
    valid("x", 2),
    valid("y", 1),
    test("z", { expect: { refuses: "enum" } }),
  ];
  t.same(exerciseCalls(tests), [{ tool: "x", input: { n: 1 } }, { tool: "y", input: { n: 1 } }]);
  t.equal(exerciseCalls(tests, 1).length, 1);
  t.end();
});

t.test("servers are started ahead as the processors allow, at least one and not too many", (t) => {
  t.same([1, 2, 4, 64].map((cpus) => serversAhead(cpus, 1)), [1, 1, 3, 3]);
  t.same([2, 4].map((cpus) => serversAhead(cpus, cpus)), [1, 1]);
  t.end();
});
