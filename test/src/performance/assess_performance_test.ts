/** Which tools stand out, and which do not. */
import t from "tap";
import type { ToolPerformance } from "../../../machines/model/performance.ts";
import { median, percentilesOf } from "../../../src/performance/percentiles.ts";
import { findOutliers } from "../../../src/performance/assess_performance.ts";

const flat = (value: number) => percentilesOf([value]);

const tool = (name: string, more: Partial<ToolPerformance> = {}): ToolPerformance => ({
  tool: name,
  responseMs: flat(1),
  answerBytes: flat(100),
  errors: 0,
  ...more,
});

const cost = (tokens: Record<string, number> = {}) => ({
  tokenizer: "x",
  list: { bytes: 0, tokens: 0 },
  tools: Object.entries(tokens).map(([tool, tokens]) => ({ tool, bytes: 0, tokens })),
  answers: [],
});

const plain = ["a", "b", "c", "d"].map((name) => tool(name));
const found = (...tools: ToolPerformance[]) =>
  findOutliers(tools, cost()).map(({ tool, dimension }) => `${tool}: ${dimension}`);

const mega = 1024 * 1024;
const cases: [what: string, tools: ToolPerformance[], outliers: string[]][] = [
  ["tools alike", plain, []],
  ["a slow one", [...plain, tool("e", { responseMs: flat(300) })], ["e: response time"]],
  ["one that is slower, and fast all the same", [...plain, tool("e", { responseMs: flat(20) })], []],
  ["one beside others that spread as widely", [
    ...[100, 300, 500, 700].map((ms, at) => tool(String(at), { responseMs: flat(ms) })),
    tool("e", { responseMs: flat(900) }),
  ], []],
  ["one whose slowest calls are slow", [
    ...plain,
    tool("e", { responseMs: percentilesOf([...Array(15).fill(1), ...Array(5).fill(400)]) }),
  ], ["e: slowest calls"]],
  ["a large answer", [...plain, tool("e", { answerBytes: flat(50_000) })], ["e: answer size"]],
  [
    "one that uses the processor",
    [...plain.map((each) => ({ ...each, cpuMsPerCall: 0.1 })), tool("e", { cpuMsPerCall: 80 })],
    ["e: cpu"],
  ],
  [
    "memory that stays, and memory for a moment",
    [
      ...plain.map((each) => ({ ...each, memoryGrowthBytes: mega, memoryPeakGrowthBytes: 2 * mega })),
      tool("e", { memoryGrowthBytes: 200 * mega, memoryPeakGrowthBytes: 210 * mega }),
      tool("f", { memoryGrowthBytes: mega, memoryPeakGrowthBytes: 300 * mega }),
    ],
    ["e: memory", "f: memory peak"],
  ],
  [
    "one that writes",
    [...plain.map((each) => ({ ...each, diskWrittenBytes: 0 })), tool("e", { diskWrittenBytes: 5 * mega })],
    ["e: disk writes"],
  ],
  [
    "many files",
    [
      ...plain.map((each) => ({ ...each, sideEffects: { files: 0, bytes: 0, rewritten: 0 } })),
      tool("e", { sideEffects: { files: 12, bytes: 10, rewritten: 0 } }),
    ],
    ["e: files written"],
  ],
  ["no other to compare with", [tool("e", { responseMs: flat(5000) })], []],
  [
    "two others, a little faster",
    [tool("a", { responseMs: flat(60) }), tool("b", { responseMs: flat(200) })],
    [],
  ],
  ["two others, many times faster", [
    tool("a", { responseMs: flat(5) }),
    tool("b", { responseMs: flat(200) }),
  ], [
    "b: response time",
  ]],
];

for (const [what, tools, outliers] of cases) {
  t.test(what, (t) => {
    t.same(found(...tools), outliers);
    t.end();
  });
}

t.test("a rewritten file is named in the sentence", (t) => {
  const others = plain.map((each) => ({ ...each, sideEffects: { files: 0, bytes: 0, rewritten: 0 } }));
  const rewriter = tool("e", {
    sideEffects: { files: 1, bytes: 9, rewritten: 1, rewrittenFiles: ["data/state.json"] },
  });
  t.match(findOutliers([...others, rewriter], cost()), [{
    tool: "e",
    value: 1,
    usual: 0,
    message: /e: files rewritten unchanged 1 files \(data\/state\.json\), other tools 0 files/,
  }]);
  t.end();
});

t.test("a dear definition", (t) => {
  const outliers = findOutliers([], cost({ a: 50, b: 60, c: 40, d: 70, e: 2000 }));
  t.match(outliers, [{ tool: "e", dimension: "definition size", value: 2000, usual: 55 }]);
  t.end();
});

t.test("percentiles are figures that were measured", (t) => {
  const values = Array.from({ length: 100 }, (_, at) => 100 - at);
  t.same(percentilesOf(values), { count: 100, min: 1, p50: 50, p95: 95, p99: 99, max: 100 });
  t.same(percentilesOf([]), { count: 0, min: 0, p50: 0, p95: 0, p99: 0, max: 0 });
  t.equal(median([4, 1, 3, 2]), 2.5);
  t.equal(median([]), 0);
  t.end();
});
