import { Buffer } from "node:buffer";
import t from "tap";
import { editorLinks } from "../../../../src/agent_fixtures/report/html/editor_links.ts";
import {
  highlightedText,
  type Language,
} from "../../../../src/agent_fixtures/report/html/highlighted_text.ts";
import { runPage } from "../../../../src/agent_fixtures/report/html/run_page.ts";
import { testPage } from "../../../../src/agent_fixtures/report/html/test_page.ts";
import { runOfTests, runReport } from "../../../../src/agent_fixtures/report/run_report.ts";
import { recordedReport, timeline } from "./report_of.ts";

t.test("a page is one file with all parts of the report", (t) => {
  const page = testPage(recordedReport());
  for (
    const part of [
      "The report reads the configuration",
      "PARTIAL 2/3",
      "Reads the notes",
      "claude 2.1.330",
      "Run cat .herbarium/config.yaml",
      "no jq",
      " agent test test_reproduced.yaml",
      "report.md",
      "pth-agent-trace/1",
    ]
  ) t.ok(page.includes(part), part);
  t.notMatch(page, /<(?:link rel="stylesheet|script src|img)/);
  t.end();
});

t.test("a test without session, expectations, debug and response has a page", (t) => {
  const { debug: _, ...report } = recordedReport({ trace: { timeline: [] }, test: { expectations: [] } });
  t.match(testPage(report), /expects nothing/);
  t.match(runPage(runOfTests([report])), /1 test passed/);
  t.match(runPage(runReport([])), /No test ran/);
  t.end();
});

t.test("more entries than a page can hold are counted, and it stays below 2 MB", (t) => {
  const [session, prompt, turn, call, ...rest] = timeline;
  const many = Array.from({ length: 2000 }, () => call!);
  const page = testPage(
    recordedReport({ trace: { timeline: [session!, prompt!, turn!, ...many, ...rest] } }),
  );
  t.match(page, /803 more entries are in the JSON/);
  t.ok(Buffer.byteLength(page) < 2_000_000);
  t.end();
});

const highlights = (text: string, language: Language): [string, string][] =>
  [...highlightedText(text, language).text.matchAll(/<span class="(\w+)">(.*?)<\/span>/gs)]
    .map(([, name = "", found = ""]) => [name, found]);

t.test("JSON and shell are highlighted by their parts, and escaped", (t) => {
  t.same(highlights(`{"a<b": ["x", -1.5e3, true]} some more text around it`, "json"), [
    ["key", "&quot;a&lt;b&quot;"],
    ["string", "&quot;x&quot;"],
    ["number", "-1.5e3"],
    ["word", "true"],
  ]);
  t.same(highlights(`grep -r 'it' $HOME && cat x # why\n`.padEnd(80), "shell"), [
    ["word", "grep"],
    ["option", "-r"],
    ["string", "&#39;it&#39;"],
    ["variable", "$HOME"],
    ["word", "cat"],
    ["comment", `# why`],
  ]);
  t.same(highlights("1 2 3", "text"), []);
  t.end();
});

t.test("what is highlighted is at most some times as long, and takes no long time for hostile texts", (t) => {
  for (
    const text of [
      "1,".repeat(6000),
      '"\\"'.repeat(4000),
      "[".repeat(12_000),
      "`".repeat(12_000),
      "$".repeat(12_000),
    ]
  ) {
    for (const language of ["json", "shell"] as const) {
      t.ok(highlightedText(text, language).text.length < text.length * 12);
    }
  }
  t.end();
});

t.test("editors are linked for absolute paths, and a path cannot change the link", (t) => {
  t.equal(editorLinks("tests/a.yaml", 3).text, `<span class="path">tests/a.yaml:3</span>`);
  t.match(editorLinks("C:\\a\\b.yaml").text, `href="vscode://file/C:/a/b.yaml"`);
  const { text } = editorLinks(`/a" onclick="x&line=9#y`, 1);
  t.notMatch(text, /<a [^>]*onclick="/);
  t.match(text, /file=%2Fa%22%20onclick%3D%22x%26line%3D9%23y&amp;line=1"/);
  t.end();
});
