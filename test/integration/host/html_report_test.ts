// test: timeout=240
/** The HTML report in a real browser: what a reader sees and does, and what a hostile server cannot. */
import type { Page } from "puppeteer-core";
import t from "tap";
import type { TestResult } from "../../../machines/model/test_result.ts";
import type { FinishedRun } from "../../../src/testing/reporter.ts";
import html from "../../../src/testing/reporters/html.ts";
import { fullRun } from "../../src/testing/reporters/full_run.ts";
import { results, written } from "../../src/testing/reporters/recorded_run.ts";
import { chromium, openBrowser, type OpenOptions, openPage } from "../../support/browser.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

const hostile =
  `</script></pre><script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">"><svg onload="window.hacked = 3">`;

const hostileResult: TestResult = {
  ...results[2]!,
  id: "hostile",
  name: hostile,
  tool: hostile,
  message: hostile,
  expected: `a\n${hostile}`,
  actual: `b\n${hostile}`,
  stderrTail: hostile,
  findings: [{ severity: "error", code: hostile, tool: hostile, message: hostile }],
};

const withResults = (more: readonly TestResult[]): FinishedRun => {
  const report = fullRun.report!;
  return { ...fullRun, report: { ...report, results: [...report.results, ...more] } };
};

const where = chromium();
const skip = where === undefined && "no Chromium here: set PTH_CHROMIUM or install one";
if (skip) console.log(`# skipped: ${skip}`);

t.test("the report in Chromium", { skip, timeout: 230_000 }, async (t) => {
  const browser = await openBrowser(t, where!);
  const folder = await temporaryFolder(t);

  const open = (run: FinishedRun, options: OpenOptions = {}) =>
    openPage(browser, folder, written(html, [], run), options);

  const shown = (page: Page): Promise<string[]> =>
    page.$$eval(
      ".test",
      (items) =>
        items.filter((item) => item.checkVisibility()).map((item) =>
          item.querySelector(".name")!.textContent!
        ),
    );

  await t.test("opens without an error or a request, and a hostile name does not run", async (t) => {
    const { page, complaints } = await open(withResults([hostileResult]));
    t.equal(await page.title(), "sample: 2 of 6 tests failed");
    t.equal(await page.evaluate("window.hacked"), undefined);
    t.equal(await page.$$eval(".test img, .test svg, .finding img", (found) => found.length), 0);
    t.ok((await shown(page)).includes(hostile), "it is shown as it is");
    t.same(complaints, []);
    await page.close();
  });

  await t.test("the page's policy stops a script that would get in all the same", async (t) => {
    const { page, complaints } = await open(fullRun);
    await page.evaluate(`{
      const script = document.createElement("script");
      script.textContent = "window.hacked = 4";
      document.body.append(script);
    }`);
    t.equal(await page.evaluate("window.hacked"), undefined);
    t.match(complaints, [/Content Security Policy/]);
    await page.close();
  });

  await t.test("filters narrow by text, status, tier and tool, and can be undone", async (t) => {
    const { page, complaints } = await open(fullRun);
    t.equal((await shown(page)).length, 6);
    await page.keyboard.press("/");
    await page.keyboard.type("order_id pay");
    t.same(await shown(page), ["order and pay"], "also by what is inside a closed test");
    t.equal(await page.$eval("#shown", (node) => node.textContent), "1 of 6 shown");
    await page.keyboard.press("Escape");
    await page.click("input[value=failed]");
    await page.click("input[value=flaky]");
    t.equal((await shown(page)).length, 3);
    await page.select("#tool", "echo");
    t.equal((await shown(page)).length, 2);
    await page.select("#tier", "2");
    t.same(await shown(page), []);
    await page.click("#show-all");
    t.equal((await shown(page)).length, 6);
    t.same(complaints, []);
    await page.close();
  });

  await t.test("tests open by key and by link", async (t) => {
    const { page } = await open(fullRun);
    const isOpen = (id: string) => page.$eval(`#${id} details`, (node) => node.hasAttribute("open"));
    t.notOk(await isOpen("test-4"));
    await page.focus("#test-4 summary");
    await page.keyboard.press("Enter");
    t.ok(await isOpen("test-4"));
    await page.evaluate(`void (location.hash = "#test-5")`);
    await page.waitForSelector("#test-5 details[open]");
    await page.click("#close-all");
    t.notOk(await isOpen("test-5"));
    await page.close();
  });

  await t.test("all can be read without JavaScript", async (t) => {
    const { page } = await open(fullRun, { javaScript: false });
    const text = await page.evaluate("document.querySelector('main').textContent + document.title") as string;
    for (const told of ["2 of 6 tests failed", "Server crashed", "Coverage", "store takes 900 ms"]) {
      t.match(text, told);
    }
    const display = await page.evaluate("getComputedStyle(document.querySelector('#filters')).display");
    t.equal(display, "none", "what would do nothing is not shown");
    const shut = await page.evaluate("document.querySelectorAll('.test:not(.failed) summary').length");
    t.equal(shut, 4, "the others open by themselves, being details");
    await page.close();
  });

  await t.test("fits a phone and has a dark side", async (t) => {
    const { page } = await open(withResults([hostileResult]), { width: 390, dark: true });
    await page.click("#open-all");
    t.equal(await page.evaluate("document.documentElement.scrollWidth"), 390, "nothing sticks out");
    t.equal(await page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(20, 23, 28)");
    await page.close();
  });

  await t.test("1,000 tests filter in a time that grows as their number does", async (t) => {
    /** The least of some times in ms: none of them was held up. */
    const took = async (count: number): Promise<number> => {
      const many = Array.from({ length: count }, (_, index): TestResult => ({
        ...results[index % 5]!,
        id: `t${index}`,
        name: `${results[index % 5]!.name} ${index}`,
      }));
      const { page } = await open(withResults(many));
      const least = await page.evaluate(`Math.min(...Array.from({ length: 9 }, (_, round) => {
        const began = performance.now();
        document.querySelector("#text").value = "echo " + (9 - round);
        document.querySelector("#text").dispatchEvent(new Event("input", { bubbles: true }));
        return performance.now() - began + 0 * document.body.offsetHeight;
      }))`) as number;
      t.ok((await shown(page)).length < count / 2);
      await page.close();
      return Math.max(least, 0.2);
    };
    const [few, many] = [await took(100), await took(1000)];
    t.ok(many < 40 * few, `${few.toFixed(1)} ms for 100, ${many.toFixed(1)} ms for 1,000`);
  });
});
