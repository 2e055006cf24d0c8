import t from "tap";
import type { TestResult } from "../../../../machines/model/test_result.ts";
import { toReport } from "../../../../src/testing/report/report.ts";
import { bytesText, percentText, rangesText } from "../../../../src/testing/reporters/html/figure_text.ts";
import { outcomeOf } from "../../../../src/testing/reporters/html/report_header.ts";
import htmlReporter from "../../../../src/testing/reporters/html.ts";
import { markup } from "../../../../src/testing/reporters/html/markup.ts";
import { differenceMarkup } from "../../../../src/testing/reporters/html/test_details.ts";
import { fullRun } from "./full_run.ts";
import { died, facts, finished, results, tests, written } from "./recorded_run.ts";

const hostile = `</script><script>alert(1)</script><img src=x onerror="alert(2)">" onmouseover='alert(3)`;

/** Elements that are opened, in order. */
const openTags = (page: string): string[] =>
  [...page.matchAll(/<([a-z][a-z0-9]*)[^>]*>/g)].map(([, name]) => name!);

/** The page without its own script and style. */
const body = (page: string): string =>
  page.replace(/<style>[\s\S]*?<\/style>/, "").replace(/<script>[\s\S]*?<\/script>/, "");

function withTexts(text: string) {
  const result: TestResult = {
    ...results[2]!,
    name: text,
    tool: text,
    message: text,
    expected: `${text}\n1`,
    actual: `${text}\n2`,
    note: text,
    stderrTail: text,
    file: text,
    category: text as TestResult["category"] & string,
    findings: [{ severity: "error", code: text, tool: text, message: text }],
  };
  return {
    ...finished,
    target: text,
    notes: [text],
    report: { ...finished.report!, results: [result], tests: [] },
  };
}

t.test("every element that is opened is closed, whatever the texts hold", (t) => {
  const page = written(htmlReporter, facts, fullRun);
  const open: string[] = [];
  const empty = new Set(["meta", "link", "input", "rect", "br"]);
  for (
    const [, close, name] of body(page).replace(/<!DOCTYPE html>/, "").matchAll(
      /<(\/?)([a-z][a-z0-9]*)[^>]*>/g,
    )
  ) {
    if (close === "") {
      if (!empty.has(name!)) open.push(name!);
    } else t.equal(open.pop(), name);
  }
  t.same(open, []);
  t.end();
});

t.test("texts from servers and files add no element and no attribute", (t) => {
  const harmless = written(htmlReporter, [], withTexts("plain words"));
  const page = written(htmlReporter, [], withTexts(hostile));
  t.same(openTags(body(page)), openTags(body(harmless)));
  t.notMatch(body(page), /<script|<img|onerror="|onmouseover='/);
  t.match(page, "&lt;/script&gt;");
  t.end();
});

t.test("nothing is asked of the network, and only the page's own script may run", (t) => {
  const page = written(htmlReporter, facts, fullRun);
  t.match(page, /default-src &#39;none&#39;; style-src &#39;sha256-[^&]+&#39;; script-src &#39;sha256-/);
  t.notMatch(body(page), /(?:src|href)="(?!data:,|#)/);
  t.notMatch(page, /\sstyle="|url\(|@import/);
  t.end();
});

t.test("failures come first and open; each test tells all that is known of it", (t) => {
  const page = written(htmlReporter, facts, fullRun);
  const statuses = [...page.matchAll(/data-status="(\w+)"/g)].map(([, status]) => status);
  t.same(statuses, ["failed", "failed", "flaky", "skipped", "passed", "passed"]);
  t.equal(page.match(/<details open>/g)?.length, 2);
  for (
    const told of [
      "2 of 6 tests failed",
      "tests/store.yaml:7",
      "Error: boom",
      "<ins>+     &quot;three&quot;</ins>",
      "Failed 1 of 4 times in this run; 25 % of 40 known runs; 97 % sure that this is no chance.",
      "$order_id",
      "shop://receipts/1",
      "README.md:12",
    ]
  ) t.match(page, told);
  t.end();
});

t.test("coverage, impact, performance and token cost have their sections, and none where they were not measured", (t) => {
  const page = written(htmlReporter, facts, fullRun);
  for (
    const id of ["contract", "coverage", "impact", "performance", "tokens", "findings", "slowest", "exercise"]
  ) {
    t.match(page, `<section id="${id}">`);
    t.match(page, `href="#${id}"`);
  }
  t.match(page, "<h2>Tools <small>1 of 4 tools exercised</small></h2>");
  t.match(page, '<span class="tool">wipe</span> excluded: its name says');
  t.match(page, "9–11, 20");
  t.match(page, "never (9)");
  t.match(page, "echo (3 lines)");
  t.match(page, "error branch <code>src/echo.ts:9-11</code>");
  t.match(page, "echo: text is required now");
  t.match(page, "store takes 900 ms where other tools take 8 ms");
  t.notMatch(written(htmlReporter, facts, finished), /id="(coverage|impact|performance|tokens)"/);
  t.end();
});

t.test("a run that died says why", (t) => {
  const page = written(htmlReporter, [], died);
  t.match(page, "The run ended before its tests did");
  t.match(page, "INSTALL_FAILED");
  t.match(page, "npm ERR!");
  t.end();
});

t.test("the verdict tells what to think of a run", (t) => {
  const of = (summary: object, exitCode = 0) =>
    outcomeOf({
      ...toReport(finished),
      exit_code: exitCode,
      summary: { ...toReport(finished).summary, failed: 0, flaky: 0, skipped: 0, ...summary },
    }).text;
  t.equal(of({ total: 2, passed: 2 }), "All 2 tests passed");
  t.equal(of({ total: 3, passed: 2, flaky: 1 }), "No test failed");
  t.equal(of({ total: 3, passed: 0, skipped: 3 }), "Nothing failed, nothing passed: 3 tests skipped");
  t.equal(of({ total: 0, passed: 0 }), "No test ran");
  t.equal(of({ total: 3, passed: 2, failed: 1 }, 1), "1 of 3 tests failed");
  t.equal(of({ total: 3, passed: 3 }, 130), "The run was interrupted");
  t.end();
});

t.test("1,000 failures with long texts stay below 3 MB", (t) => {
  const long = '<&"line of a long answer\n'.repeat(4000);
  const many = Array.from({ length: 1000 }, (_, index): TestResult => ({
    ...results[2]!,
    id: `t${index}`,
    message: long,
    expected: `${long}1`,
    actual: `${long}2`,
    stderrTail: long,
  }));
  const page = written(htmlReporter, [], {
    ...finished,
    report: { ...finished.report!, tests, results: many },
  });
  t.ok(page.length < 3_000_000, `${page.length} characters`);
  t.match(page, "more characters");
  t.end();
});

t.test("markup is only what a template wrote; lists and nothing are fine", (t) => {
  t.equal(
    markup`<b title="${`"<`}">${["a<", markup`<i>${1}</i>`, undefined]}</b>`.text,
    `<b title="&quot;&lt;">a&lt;<i>1</i></b>`,
  );
  t.end();
});

t.test("a difference that is too long to compute shows both sides", (t) => {
  const lines = (of: string) => Array.from({ length: 900 }, (_, index) => `${of}${index}`).join("\n");
  const { text } = differenceMarkup(lines("a"), lines("b"), 1e6);
  t.match(text, `<pre class="expected">a0`);
  t.match(text, `<pre class="actual">b0`);
  t.match(differenceMarkup("same\none", "same\ntwo", 100).text, "  same\n<del>- one</del><ins>+ two</ins>");
  t.end();
});

t.test("figures are short and never round up to all", (t) => {
  t.equal(percentText(999, 1000), "99 %");
  t.equal(percentText(0, 0), "–");
  t.equal(bytesText(-1500), "−1.5 kB");
  t.equal(rangesText([1, 2, 3, 7, 9, 10]), "1–3, 7, 9–10");
  t.end();
});
