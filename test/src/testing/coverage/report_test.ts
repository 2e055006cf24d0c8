import t from "tap";
import type { FileCoverage } from "../../../../machines/model/coverage.ts";
import { impactText, parseChangedFile } from "../../../../src/testing/coverage/impact_of.ts";
import { startup } from "../../../../src/testing/coverage/coverage_run.ts";
import {
  coverageSummary,
  coveredShare,
  fileText,
  gapText,
} from "../../../../src/testing/coverage/coverage_text.ts";
import { gapsOf } from "../../../../src/testing/coverage/gaps.ts";
import { lcov } from "../../../../src/testing/coverage/lcov.ts";
import { latestMap } from "../../../../src/testing/coverage/measured_suite.ts";
import { lineRanges } from "../../../../src/testing/coverage/line_ranges.ts";
import { impactMapOf, reportOf } from "../../../../src/testing/coverage/report_of.ts";

const text = [
  "export function add(a, b) {",
  "  if (b === 0) {",
  "    log(a);",
  '    throw new Error("zero");',
  "  }",
  "  return a ? b : 0;",
  "}",
  "function idle() {",
  "  return 1;",
  "}",
].join("\n");
const file: FileCoverage = {
  path: "src/a.js",
  lines: { 2: 3, 3: 0, 4: 0, 6: 3, 9: 0 },
  functions: [{ name: "add", line: 1, endLine: 7, hits: 3 }, { name: "idle", line: 8, endLine: 10, hits: 0 }],
  branches: [{ line: 2, hits: [0, 3] }, { line: 6, hits: [3, 0] }],
  tools: [{ tool: "add", line: 1, endLine: 7 }],
};
const area = { tool: "add", path: "src/a.js", line: 1, endLine: 7 };
const report = reportOf(["v8"], { files: [file], reach: new Map(), notes: ["a note"] });

t.test("totals count lines, functions and ways of branches", (t) => {
  t.strictSame(report.totals, {
    lines: { covered: 2, total: 5 },
    functions: { covered: 1, total: 2 },
    branches: { covered: 2, total: 4 },
  });
  t.equal(coveredShare({ covered: 2, total: 5 }), "2 of 5 (40 %)");
  t.equal(coveredShare({ covered: 299, total: 300 }), "299 of 300 (99 %)", "not rounded up to all");
  t.equal(coveredShare({ covered: 0, total: 0 }), "0 of 0 (100 %)");
  t.end();
});

t.test("what never runs is named with its tool: error branches, branches and functions", (t) => {
  const gaps = gapsOf(file, [area], text);
  t.strictSame(gaps, [
    { path: "src/a.js", line: 3, endLine: 4, kind: "error branch", tool: "add" },
    { path: "src/a.js", line: 6, endLine: 6, kind: "branch", tool: "add" },
    { path: "src/a.js", line: 9, endLine: 9, kind: "function" },
  ]);
  t.strictSame(gaps.map(gapText), [
    "tool add: its error branch at src/a.js:3-4 is never exercised",
    "tool add: its branch at src/a.js:6 is never exercised",
    "function at src/a.js:9 is never run",
  ]);
  t.match(coverageSummary({ ...report, gaps }), ["lines 2 of 5 (40 %), functions 1 of 2 (50 %)"]);
  t.match(fileText(file, gaps), [/lines 2 of 5/, "  uncovered lines: 3-4, 9", /idle \(line 8\)/, /tool add/]);
  t.strictSame(gapsOf({ ...file, lines: { 2: 1, 6: 1 }, branches: [], functions: [] }, [], text), []);
  t.end();
});

t.test("lcov has a record for each file, with figures that fit its lines", (t) => {
  t.equal(
    lcov(report),
    `TN:
SF:src/a.js
FN:1,add:1
FN:8,idle:8
FNDA:3,add:1
FNDA:0,idle:8
FNF:2
FNH:1
BRDA:2,0,0,0
BRDA:2,0,1,3
BRDA:6,1,0,3
BRDA:6,1,1,0
BRF:4
BRH:2
DA:2,3
DA:3,0
DA:4,0
DA:6,3
DA:9,0
LF:5
LH:2
end_of_record
`,
  );
  t.end();
});

t.test("reach of a test's several runs becomes one entry for each file, startup apart", (t) => {
  const reach = new Map([
    ["a", [
      { path: "src/a.js", ranges: [[2, 2]] as [number, number][], functions: ["add:1"] },
      { path: "src/a.js", ranges: [[3, 4]] as [number, number][], functions: ["add:1"] },
    ]],
    [startup, [{ path: "src/a.js", ranges: [[1, 1]] as [number, number][], functions: [] }]],
  ]);
  const map = impactMapOf({ files: [file], reach, notes: [] }, ["a", "b"]);
  t.strictSame(map.tests, { a: [{ path: "src/a.js", ranges: [[2, 4]], functions: ["add:1"] }], b: [] });
  t.strictSame(map.startup, [{ path: "src/a.js", ranges: [[1, 1]], functions: [] }]);
  t.end();
});

t.test("a run of some tests does not take the place of what is known of all", (t) => {
  const suite = (...ids: string[]) => ({
    coverage: { ...report, notes: ids },
    impact: impactMapOf({ files: [file], reach: new Map(), notes: [] }, ids),
    texts: new Map<string, string>(),
    made: new Set<string>(),
  });
  const living = new Set(["a", "b"]);
  t.equal(latestMap(undefined, suite("a"), living).impact.tests.b, undefined);
  t.ok(latestMap(suite("a", "b"), suite("a"), living).impact.tests.b, "the map of all stays");
  t.strictSame(
    latestMap(suite("a", "b"), suite("a"), living).coverage.notes,
    ["a"],
    "coverage is the latest",
  );
  t.notOk(latestMap(suite("a", "gone"), suite("a", "b"), living).impact.tests.gone);
  t.end();
});

t.test("places are read as people write them", (t) => {
  t.strictSame(parseChangedFile("src/a.js"), { path: "src/a.js" });
  t.strictSame(parseChangedFile("src/a.js:4"), { path: "src/a.js", lines: [4] });
  t.strictSame(parseChangedFile("src/a.js:6-4"), { path: "src/a.js", lines: [4, 5, 6] });
  t.strictSame(parseChangedFile("src/a:b.js"), { path: "src/a:b.js" });
  t.strictSame(lineRanges([3, 1, 2, 2, 7]), [[1, 3], [7, 7]]);
  t.end();
});

t.test("of a package that was fetched as the target, people read paths within it, and programs whole ones", (t) => {
  const path = "node_modules/@scope/server/dist/lib.js";
  const gap = { path, line: 3, endLine: 4, kind: "error branch" } as const;
  t.equal(gapText(gap), "error branch at dist/lib.js:3-4 is never run");
  t.match(coverageSummary({ ...report, files: [{ ...file, path }] })[1], /^dist\/lib\.js: 2 of 5/);
  t.match(fileText({ ...file, path }, []), [/^dist\/lib\.js: /]);
  t.match(lcov({ ...report, files: [{ ...file, path }] }), `SF:${path}`);
  t.match(
    impactText({
      source: "measured",
      tests: [],
      changes: [{ path: "node_modules/server/a.js", lines: [1, 1], tests: [], reason: "why" }],
      unknown: [],
      notes: [],
    }, 0),
    ["0 tests of 0 affected, as measured.", "a.js:1: 0 tests, why"],
  );
  t.end();
});
