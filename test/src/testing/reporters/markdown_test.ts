import { marked } from "marked";
import t from "tap";
import type { TestResult } from "../../../../machines/model/test_result.ts";
import markdown from "../../../../src/testing/reporters/markdown.ts";
import { inlineMarkdown } from "../../../../src/testing/reporters/markdown/summary.ts";
import { fullRun } from "./full_run.ts";
import { died, finished, results, written } from "./recorded_run.ts";

t.test("tells verdict, counts, failures, flaky tests and what was measured", (t) => {
  const text = written(markdown, [], fullRun);
  for (
    const told of [
      "### ❌ 2 of 6 tests failed",
      "| 6 | 2 | 2 | 1 | 1 | 4.2 s |",
      "<summary>order and pay</summary>",
      "step 2 (pay): output_contains does not hold",
      "25 % of 40 runs",
      "schema-not-enforced",
      "Coverage: 50 % of lines",
      "store takes 900 ms",
      "900 tokens",
      "Seed: 42",
      "part 1 of 2",
      "**1 of 4 tools exercised**",
      "| fetch | refused, needs the network: getaddrinfo ENOTFOUND example",
    ]
  ) t.match(text, told);
  t.match(written(markdown, [], died), "INSTALL\\_FAILED");
  t.end();
});

t.test("texts mean nothing to Markdown or HTML", (t) => {
  const hostile = "<img src=x> [a](javascript:b) ![c](http://d) `e` | *f* _g_ </details> ```\n```";
  const of = (text: string): string => {
    const result: TestResult = { ...results[2]!, name: text, message: text, findings: [] };
    const finding = { severity: "info" as const, code: text, message: text };
    const report = { ...finished.report!, results: [result], findings: [finding] };
    return marked.parse(written(markdown, [], { ...finished, report }), { async: false });
  };
  const tags = (page: string) => [...page.matchAll(/<\/?[a-z]+/g)].map(([tag]) => tag);
  t.same(tags(of(hostile)), tags(of("plain")));
  t.equal(
    marked.parseInline(inlineMarkdown(hostile), { async: false }).replaceAll("&lt;", "<").replaceAll(
      "&gt;",
      ">",
    ),
    hostile.replace("\n", " "),
  );
  t.end();
});
