// test: timeout=300
/**
 * A published server with coverage, impact, lint and performance in one report, which opens in a browser. Needs npm's
 * registry and a sandbox; the last part also Chromium.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import t from "tap";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { chromium, openBrowser } from "../../support/browser.ts";
import { makePlace, runPth, story } from "../../support/pth_run.ts";
import { readiness } from "../../support/readiness.ts";

t.setTimeout(280_000);
const place = await makePlace(t);
const { sandbox } = await readiness();
const html = join(place.folder, "report.html");

t.test("one run tells all that is known of server-filesystem", { skip: sandbox }, async (t) => {
  const folder = join(place.folder, "data");
  await mkdir(folder);
  await writeTextFile(join(folder, "a.txt"), "hello\n");
  const ran = await runPth(place, [
    ...["npm:@modelcontextprotocol/server-filesystem", "--env", "sandbox", "--copy", `${folder}:/work/data`],
    ...["--coverage", "--lint", "--performance", "--grep", "list|info|search", "--reporter", `html:${html}`],
    ...["--", "/work/data"],
  ]);
  t.equal(ran.code, 0, story(ran));
  const { coverage, impact, performance, token_cost, tests, findings } = ran.report;

  t.equal(coverage?.collector, "v8");
  const index = coverage?.files.find(({ path }) => path.endsWith("server-filesystem/dist/index.js"));
  t.ok(index, "the package's own code is measured although it lies in node_modules");
  t.ok((coverage?.totals.lines.covered ?? 0) > 100, "lines ran");

  t.equal(impact?.source, "measured");
  const passed = tests.filter(({ status, tool }) => status === "passed" && tool !== undefined).length;
  t.ok(passed >= 4 && (impact?.tests.length ?? 0) >= passed, "each test has its map");

  t.ok(findings.some(({ code }) => code === "missing-parameter-description"), "lint has its findings");
  t.ok((token_cost?.list.tokens ?? 0) > 1000, "the list of tools costs tokens");
  const measured = performance?.tools.map(({ tool }) => tool) ?? [];
  t.ok(measured.includes("list_directory"), "performance is measured by tool");
  t.notOk(measured.includes("write_file"), "what calls itself destructive is held back");

  for (const part of ["Coverage", "Impact", "Performance", "Token cost", "Findings"]) {
    t.match(ran.stdout, new RegExp(`^${part}$`, "m"), `the terminal tells ${part}`);
  }
});

const browserPath = chromium();
const noBrowser = sandbox ||
  (browserPath === undefined && "needs Chromium: none was found (PTH_CHROMIUM names one)");

t.test("the HTML report of it opens in Chromium", { skip: noBrowser }, async (t) => {
  const browser = await openBrowser(t, browserPath!);
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith("file:")) complaints.push(request.url());
  });
  await page.goto(pathToFileURL(html).href);
  t.same(complaints, [], "no error, and nothing is fetched");
  const text = await page.$eval("body", (body) => body.textContent);
  for (const part of ["Coverage", "Impact", "Performance", "Token cost", "list_directory"]) {
    t.match(text, part);
  }
});
