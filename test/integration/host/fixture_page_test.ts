// test: timeout=240
/** The pages of agent tests in a real browser: what a reader sees and does, and what a hostile agent cannot. */
import type { Page } from "puppeteer-core";
import t from "tap";
import type { TraceEntry } from "../../../machines/model/agent_session.ts";
import { runPage } from "../../../src/agent_fixtures/report/html/run_page.ts";
import { testPage } from "../../../src/agent_fixtures/report/html/test_page.ts";
import type { TestReport } from "../../../src/agent_fixtures/report/report_schema.ts";
import { runOfTests } from "../../../src/agent_fixtures/report/run_report.ts";
import { recordedReport, startedAt, timeline } from "../../src/agent_fixtures/report/report_of.ts";
import { chromium, openBrowser, type OpenOptions, openPage } from "../../support/browser.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

const hostile =
  `</script></pre><script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">"><svg onload="window.hacked = 3">`;

/** The report with this text everywhere that an agent, a plugin or a fixture could have put it. */
function hostileReport(): TestReport {
  const poisoned = (value: unknown): unknown =>
    typeof value === "string"
      ? `${value}${hostile}`
      : Array.isArray(value)
      ? value.map(poisoned)
      : value !== null && typeof value === "object"
      ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, poisoned(each)]))
      : value;
  const report = recordedReport({ assessment: "# Verdict" });
  const { meta, timeline, ...rest } = poisoned(report) as TestReport;
  const { timestamp, status, pass_rate } = report.meta;
  return {
    ...rest,
    schema_version: "2.0",
    meta: { ...meta, timestamp, status, pass_rate },
    timeline: timeline.map((entry, at) => ({
      ...entry,
      type: report.timeline[at]!.type,
      timestamp: report.timeline[at]!.timestamp,
    } as typeof entry)),
    expectations: rest.expectations.map((each, at) => ({ ...each, status: report.expectations[at]!.status })),
  };
}

const where = chromium();
const skip = where === undefined && "no Chromium here: set PTH_CHROMIUM or install one";
if (skip) console.log(`# skipped: ${skip}`);

t.test("pages of agent tests in Chromium", { skip, timeout: 230_000 }, async (t) => {
  const browser = await openBrowser(t, where!);
  const folder = await temporaryFolder(t);
  const open = (html: string, options: OpenOptions = {}) => openPage(browser, folder, html, options);
  const visible = (page: Page, selector: string): Promise<string[]> =>
    page.$$eval(selector, (all) => all.filter((each) => each.checkVisibility()).map(({ id }) => id));
  const clipboard = (page: Page): Promise<string> =>
    page.evaluate(async () => await navigator.clipboard.readText());

  await t.test("a hostile text runs nowhere, and the page asks for nothing", async (t) => {
    const report = hostileReport();
    for (const html of [testPage(report), runPage(runOfTests([report]))]) {
      const { page, complaints } = await open(html, { width: 390, dark: true });
      await page.$$eval("details", (all) => all.forEach((each) => each.open = true));
      t.equal(await page.evaluate("window.hacked"), undefined);
      t.equal(await page.$$eval("img, .test svg", (found) => found.length), 0);
      t.equal(
        await page.$$eval("a", (all) => all.filter(({ href }) => /^(javascript|data)/.test(href)).length),
        0,
      );
      t.match(await page.$eval("h1", (node) => node.textContent), /hacked|did not pass/);
      t.equal(
        await page.evaluate("document.documentElement.scrollWidth"),
        390,
        "nothing sticks out of a phone",
      );
      t.same(complaints, []);
      await page.close();
    }
  });

  await t.test("four tabs by click, key and link; one is shown at a time", async (t) => {
    const { page, complaints } = await open(testPage(recordedReport()));
    t.same(await visible(page, ".panel"), ["summary"]);
    await page.click("#tab-timeline");
    t.same(await visible(page, ".panel"), ["timeline"]);
    await page.keyboard.press("ArrowRight");
    t.same(await visible(page, ".panel"), ["debug"]);
    await page.keyboard.press("2");
    t.same(await visible(page, ".panel"), ["expectations"]);
    t.equal(
      await page.$$eval("#expectations .failed details[open]", (all) => all.length),
      1,
      "the failed is open",
    );
    await page.click("#expectations .open-all");
    await page.evaluate(`document.querySelector("#expectations a[href='#entry-3']").click()`);
    await page.waitForSelector("#entry-3 details[open]");
    t.same(await visible(page, ".panel"), ["timeline"]);
    await page.keyboard.press("j");
    t.equal(await page.evaluate("document.activeElement.tagName"), "SUMMARY");
    await page.keyboard.press("Enter");
    t.same(complaints, []);
    await page.close();
  });

  await t.test("the assessment is displayed where there is one", async (t) => {
    const { page } = await open(testPage(recordedReport({ assessment: "## Verdict\n\nIt *works*." })));
    t.same(await visible(page, ".assessment"), ["assessment"]);
    t.match(await page.$eval(".assessment", (node) => node.textContent), /Verdict/);
    t.equal(await page.$eval(".assessment .rendered h5", (node) => node.textContent), "Verdict");
    t.equal(await page.$eval(".assessment .rendered em", (node) => node.textContent), "works");
    await page.close();
    const { page: without } = await open(testPage(recordedReport()));
    t.equal(await without.$(".assessment"), null);
    await without.close();
  });

  await t.test("copied texts say where they come from", async (t) => {
    const assessment = "## Verdict\n\n```sh\nls\n```";
    const { page, complaints } = await open(testPage(recordedReport({ assessment })));
    await browser.defaultBrowserContext().overridePermissions("file://", [
      "clipboard-read",
      "clipboard-write",
    ]);
    await page.bringToFront();
    await page.click("#summary .copy[data-source$=test_command]");
    await page.waitForSelector(".copy.done");
    t.match(
      await clipboard(page),
      /^# from herbarium-report-001: reproduce, test_command\npth agent test /,
    );
    await page.click("#assessment .copy");
    await page.waitForSelector("#assessment .copy.done");
    t.equal(
      await clipboard(page),
      `<!-- from herbarium-report-001: agent_assessment -->\n${assessment}\n`,
      "Markdown is copied as it was written",
    );
    await page.click("#tab-expectations");
    await page.click("#expectations .failed .copy");
    await page.waitForSelector("#expectations .copy.done");
    t.same(
      JSON.parse(await clipboard(page)),
      { tool: "Bash", pattern: "cat.*notes\\.md" },
      "JSON stays JSON",
    );
    t.same(complaints, []);
    await page.close();
  });

  await t.test("JSON and shell are highlighted, Markdown is rendered, and editors linked", async (t) => {
    const report = recordedReport({ test: { file: "/work space/tests/test_a?.yaml" } });
    const { page } = await open(testPage(report));
    for (const part of ["pre.json .key", "pre.shell .string", ".rendered h4", ".source pre.markdown"]) {
      t.ok(await page.$(part), part);
    }
    const links = await page.$$eval("#summary .editors a", (all) => all.map(({ href }) => href));
    t.same(links.slice(0, 2), [
      "vscode://file/work%20space/tests/test_a%3F.yaml:3",
      "idea://open?file=%2Fwork%20space%2Ftests%2Ftest_a%3F.yaml&line=3",
    ]);
    await page.close();
  });

  await t.test("all is there without JavaScript, and on paper", async (t) => {
    const { page } = await open(testPage(recordedReport()), { javaScript: false });
    t.same(await visible(page, ".panel"), ["summary", "expectations", "timeline", "debug"]);
    t.same(await visible(page, ".copy, .actions"), [], "what would do nothing is not shown");
    await page.close();
    const { page: printed } = await open(testPage(recordedReport()));
    await printed.emulateMediaType("print");
    t.equal((await visible(printed, ".panel")).length, 4);
    t.same(await visible(printed, ".tabs, .copy"), []);
    await printed.close();
  });

  await t.test("a run filters its tests by status, fixture and text, and shows what changed", async (t) => {
    const test = (id: string, fixture: string, day: number, met: boolean) =>
      recordedReport({
        fixture: { name: fixture, plugin: "/plugins/herbarium" },
        startedAt: startedAt + day * 86_400_000,
        test: { id, name: id, ...(met ? { expectations: [] } : {}) },
      });
    const before = runOfTests([test("moss", "herbarium", 0, true), test("rose", "garden", 0, false)]);
    const now = [
      test("moss", "herbarium", 1, false),
      test("rose", "garden", 1, true),
      test("fern", "garden", 1, true),
    ];
    const { page, complaints } = await open(runPage(runOfTests(now, [before])));
    const names = () =>
      page.$$eval(
        ".test",
        (all) =>
          all.filter((each) => each.checkVisibility()).map((each) =>
            each.querySelector(".name")!.textContent!.split(" ")[0]
          ),
      );
    t.same(await names(), ["moss", "rose", "fern"]);
    await page.select("#tool", "garden");
    t.same(await names(), ["rose", "fern"]);
    await page.click("input[value=pass]");
    t.same(await names(), []);
    await page.click("#show-all");
    await page.keyboard.type("fern");
    t.same(await names(), ["fern"]);
    const text = await page.$eval("main", (node) => node.textContent);
    for (
      const told of [/Fail since the last run: herbarium\/moss/, /Pass again: garden\/rose/, /Trend\s+2 runs/]
    ) {
      t.match(text, told);
    }
    t.equal(await page.$$eval(".history", (all) => all.length), 2, "tests that were there have their marks");
    t.same(complaints, []);
    await page.close();
  });

  await t.test("500 entries have a page below 2 MB, which is quick to use", async (t) => {
    const call = timeline[3]! as Extract<TraceEntry, { type: "tool_call" }>;
    const dense = {
      ...call,
      input: { command: "1 $a -b ".repeat(400), list: Array.from({ length: 400 }, () => '"<&') },
      result: `[${'"<1>",'.repeat(3000)}1]`,
    };
    const html = testPage(recordedReport({
      trace: {
        timeline: [
          ...timeline.slice(0, 2),
          ...Array.from({ length: 500 }, () => dense),
          ...timeline.slice(4),
        ],
      },
    }));
    t.ok(new TextEncoder().encode(html).length < 2_000_000);
    const { page } = await open(html, { hash: "#timeline" });
    t.equal(await page.$$eval("#timeline .test", (all) => all.length), 502);
    const loaded = await page.evaluate(
      "performance.getEntriesByType('navigation')[0].loadEventEnd",
    ) as number;
    t.comment(`loaded after ${Math.round(loaded)} ms`);
    await page.close();
  });
});
