import t from "tap";
import type { PerformanceReport, ToolPerformance } from "../../../machines/model/performance.ts";
import { percentilesOf } from "../../../src/performance/percentiles.ts";
import {
  compareWithEarlier,
  parsePerformance,
  ratioRows,
  writePerformance,
} from "../../../src/performance/performance_file.ts";
import { outlierRows, performanceTable } from "../../../src/performance/performance_text.ts";

const tool = (name: string, ms: number, bytes = 100): ToolPerformance => ({
  tool: name,
  responseMs: percentilesOf([ms]),
  answerBytes: percentilesOf([bytes]),
  errors: 0,
});

const report = (...tools: ToolPerformance[]): PerformanceReport => ({
  calls: 1,
  tools,
  outliers: [],
  unmeasured: [],
  contextCost: { tokenizer: "x", list: { bytes: 1, tokens: 1 }, tools: [], answers: [] },
  notes: [],
  startedAt: 0,
  durationMs: 1,
});

t.test("a report is read back from its file", (t) => {
  const written = report(tool("a", 5), tool("b", 50));
  t.match(parsePerformance("p.json", writePerformance(written)), { tools: [{ tool: "a" }, { tool: "b" }] });
  t.end();
});

t.test("mistakes in a file are told with their place", (t) => {
  const refused = (text: string, message: RegExp) =>
    t.throws(() => parsePerformance("p.json", text), { code: "INVALID_INPUT", message });
  refused("{", /p\.json:1:\d/);
  refused(
    '{\n  "format": "pth-performance/1",\n  "tools": [{ "tool": 5 }]\n}',
    /p\.json:3:\d+ tools\[0\]\.tool/,
  );
  refused("", /Cannot read performance report/);
  t.end();
});

t.test("ratios beside an earlier report: the worst first, no noise", (t) => {
  const ratios = compareWithEarlier(
    report(tool("a", 10), tool("b", 0.2), tool("c", 100, 50_000), tool("gone", 1)),
    report(tool("a", 40), tool("b", 1.1), tool("c", 110, 10_000), tool("new", 1)),
  );
  t.match(ratios.map(({ tool, dimension, ratio }) => [tool, dimension, ratio]), [
    ["a", "response time p50 (ms)", 4],
    ["a", "response time p95 (ms)", 4],
    ["c", "answer size (bytes)", 0.2],
  ]);
  t.match(
    ratioRows(ratios).join("\n"),
    /a: response time p50 \(ms\) 10 -> 40, 4\.0 times[\s\S]*down to 20 %/,
  );
  t.match(ratioRows([]), [/no figure differs/]);
  t.end();
});

t.test("the table has the slowest first, and a dash for what is not known", (t) => {
  const [head, first] = performanceTable([tool("quick", 1), tool("slow", 123.456)]);
  t.match(head, /^tool +p50 ms/);
  t.match(first, /^slow +123 +123 +123 +- +- /);
  t.same(outlierRows(report(tool("a", 1), tool("b", 1))), ["No tool is an outlier."]);
  t.end();
});
