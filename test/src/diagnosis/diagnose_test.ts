import t from "tap";
import { diagnose, type FailedTest } from "../../../src/diagnosis/diagnose.ts";
import { textSources } from "../../../src/plugin/plugin_sources.ts";

interface Failing {
  tool: string;
  answer: string;
  input?: Record<string, unknown>;
  stderr?: string;
}

function failing(id: string, { tool, answer, input = {}, stderr = "" }: Failing): FailedTest {
  const message = `${tool}: success: expected success, got an error: ${JSON.stringify(answer)}`;
  const common = { id, name: id, tier: 1 as const, tool, generatedFrom: "manual" as const };
  const received = { result: { isError: true, content: [{ type: "text", text: answer }] } };
  return {
    test: {
      ...common,
      input,
      expect: {},
      verify: [],
      setup: [],
      teardown: [],
      tags: [],
      requiresTier: 1,
    } as never,
    result: { ...common, status: "failed", category: "wrong-output", message, findings: [] } as never,
    evidence: {
      exchange: [{ at: 1, direction: "received", message: received }],
      stderr,
      strayOutput: [],
      commands: [],
    },
  };
}

const report = (files: Record<string, string>, failures: FailedTest[]) =>
  diagnose({
    sources: textSources(files),
    roots: ["/p"],
    failures,
    environment: { problems: [], processes: 1 },
    previousFixes: () => [],
  });

const placeOf = ({ place }: { place?: { path: string; line: number } }) =>
  place && `${place.path}:${place.line}`;

t.test("a line that only throws what it is told speaks for its caller", async (t) => {
  const files = {
    "check.ts":
      "export function assert(fact: boolean, message: string) {\n  if (!fact) throw new Error(message);\n}\n",
    "tools.ts":
      "export function buy(n) {\n  assert(n > 0, `no ${n}`);\n}\nexport function sell(n) {\n  assert(n < 9, `too many: ${n}`);\n}\n",
  };
  const thrown = (line: number, name: string) =>
    `Error: x\n    at assert (/p/check.ts:2:20)\n    at ${name} (/p/tools.ts:${line}:3)\n`;
  const { groups } = await report(files, [
    failing("a", { tool: "buy", answer: "no 0", stderr: thrown(2, "buy") }),
    failing("b", { tool: "sell", answer: "too many: 10", stderr: thrown(5, "sell") }),
  ]);
  t.strictSame(groups.map(placeOf), ["tools.ts:2", "tools.ts:5"], "two faults, though one line threw both");
});

t.test("one helper's fault is one group whatever the values in its words", async (t) => {
  const files = {
    "amounts.ts":
      "export function parse(text) {\n  throw new TypeError(`bad amount '${text}' at ${now()}`);\n}\n",
  };
  const stderr = "TypeError: x\n    at parse (/p/amounts.ts:2:9)\n";
  const { groups } = await report(
    files,
    ["net", "gross"].map((tool, index) =>
      failing(tool, {
        tool,
        answer: `TypeError: bad amount '${index} EUR' at 12:0${index}`,
        input: { amount: `${index} EUR` },
        stderr,
      })
    ),
  );
  t.match(groups, [{ testIds: ["net", "gross"], category: "runtime-exception" }]);
  t.equal(groups[0]?.cause, "TypeError: bad amount '0 EUR' at 12:00");
});

t.test("the same words from two handlers are two faults when each has its own line for them", async (t) => {
  const tool = (name: string) =>
    `server.registerTool("${name}", {}, ({ x }) => {\n  return say(rows[x].length);\n});\n`;
  const files = { "server.ts": tool("one") + tool("two") };
  const words = "Cannot read properties of undefined (reading 'length')";
  const { groups } = await report(
    files,
    ["one", "two"].map((name) => failing(name, { tool: name, answer: words })),
  );
  t.strictSame(groups.map(placeOf), ["server.ts:2", "server.ts:5"]);
});

t.test("one helper far from the handlers is found by the words alone", async (t) => {
  const tool = (name: string) => `server.registerTool("${name}", {}, ({ x }) => tell.${name}(x));\n`;
  const files = {
    "server.ts": tool("one") + tool("two"),
    "rates.ts": "const table = {\n  one: (x) => rateOf(x).factor,\n};\n",
  };
  const words = "Cannot read properties of undefined (reading 'factor')";
  const { groups } = await report(
    files,
    ["one", "two"].map((name) => failing(name, { tool: name, answer: words })),
  );
  t.match(groups, [{ testIds: ["one", "two"] }]);
  t.equal(placeOf(groups[0]!), "rates.ts:2");
});

t.test("an id outlives lines that are added above, and edits of the line itself", async (t) => {
  const file = (above: string, line: string) => ({
    "server.ts": `${above}server.registerTool("one", {}, ({ x }) => {\n  ${line}\n});\n`,
  });
  const failed = (line: number) => [
    failing("one", {
      tool: "one",
      answer: "failed",
      stderr: `TypeError: x\n    at /p/server.ts:${line}:9\n`,
    }),
  ];
  const first = await report(file("", "return say(rows[x].length);"), failed(2));
  const later = await report(file("// more\n// and more\n", "return say(rows[x]!.length);"), failed(4));
  t.equal(placeOf(later.groups[0]!), "server.ts:4");
  t.equal(first.groups[0]!.id, later.groups[0]!.id);
});

t.test("a trace that names compiled code that is gone leaves the handler as the place", async (t) => {
  const files = { "src/server.ts": 'server.registerTool("one", {}, ({ x }) => {\n  return work(x);\n});\n' };
  const stderr = "TypeError: x\n    at /p/dist/server.js:1:9\n";
  const { groups } = await report(files, [failing("one", { tool: "one", answer: "failed", stderr })]);
  t.equal(placeOf(groups[0]!), "src/server.ts:1");
});

t.test("what a server without an answer waited for is evidence, with the frames that are known", async (t) => {
  const failure = failing("a", { tool: "buy", answer: "" });
  const frames = [{ function: "store", file: "shop.c", line: 2 }, { function: "main" }];
  const hang = {
    kind: "deadlock" as const,
    certain: true,
    says: "hung: deadlock, certain: shop (7) waits for a lock that it holds itself",
    threads: [{ pid: 7, tid: 7, waits: "shop (7) waits for a lock that it holds itself", frames }],
  };
  const silent = { ...failure, result: { ...failure.result, category: "timeout" as const, hang } };
  const { diagnoses } = await report({}, [silent]);
  t.match(diagnoses[0]!.evidence.slice(1), [
    "Before the limit its processes were inspected; hung: deadlock, certain: shop (7) waits for a lock that it holds itself.",
    "shop (7) waits for a lock that it holds itself, in store (shop.c:2), main.",
  ]);
});
