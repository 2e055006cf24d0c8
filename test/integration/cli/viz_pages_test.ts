// test: timeout=240
/** Pages of `pth viz` in a real browser: two of one session, one that may send, and what they tell when something ends. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { listAnnouncements } from "../../../src/visualizer/live/list_announcements.ts";
import { chromium, openBrowser } from "../../support/browser.ts";
import { type WatchedPage, watchPage } from "../acceptance/watched_page.ts";
import { startHangingRun } from "../../support/hanging_run.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { startViewer } from "../../support/viewers.ts";

t.setTimeout(230_000);
const executable = chromium();
const skip = executable === undefined && "no Chromium here: set PTH_CHROMIUM or install one";
if (skip) console.log(`# skipped: ${skip}`);

/** Waits until so many runs can be chosen from. */
async function announced(home: string, count: number): Promise<void> {
  for (let tries = 0; tries < 1200; tries++) {
    const running = await listAnnouncements(join(home, "live"));
    if (running.filter(({ sessionId }) => sessionId !== undefined).length === count) return;
    await sleep(50);
  }
  throw new Error(`there are no ${count} sessions`);
}

/** What the page is answered when it sends without a button for it. */
const sendByHand = ({ page }: WatchedPage) =>
  page.evaluate(async () => {
    const [, source] = /source=(live-\w+)/.exec(location.hash) ?? [];
    const answer = await fetch(`api/sources/${source}/send`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ actor: "x:1", event: { type: "session.cancel_suite" } }),
    });
    return { status: answer.status, body: await answer.json() };
  });

t.test("several sessions, several pages, and what ends meanwhile", { skip }, async (t) => {
  const home = await temporaryFolder(t);
  const [viewer, sender, first, second] = await Promise.all([
    startViewer(t, home),
    startViewer(t, home, "--allow-send"),
    startHangingRun(t, home, "1"),
    startHangingRun(t, home, "2"),
  ]);
  await announced(home, 2);
  const browser = await openBrowser(t, executable!);
  const pages: WatchedPage[] = [];
  const open = async (address: string) => {
    const opened = await watchPage(browser, address);
    pages.push(opened);
    return opened;
  };
  const { origin } = new URL(viewer.address);

  await t.test("a person who was let in chooses what to look at", async () => {
    const page = await open(viewer.address);
    await page.reads(".empty li", "delay 2");
    await page.clicks(".empty button", "delay 1");
    await page.lights("session.open.suite.running");
    await page.page.waitForFunction(() => location.hash.startsWith("#source=live-")); // to come back to it
  });
  const [page] = pages as [WatchedPage];

  await t.test("another browser is not let in: not by a used address, nor by a made-up one", async (t) => {
    const other = await browser.createBrowserContext();
    const stranger = await other.newPage();
    const { href } = new URL(viewer.address);
    const made = href.replace(/token=.*/, `token=${"x".repeat(43)}`);
    for (const address of [href, made, href.replace(/\?.*/, ""), `${origin}/`]) {
      const answer = await stranger.goto(address);
      t.equal(answer!.status(), 403);
      t.match(
        await stranger.$eval("body", ({ innerText }) => innerText),
        /Access denied[^]*run pth viz again/,
      );
    }
    await other.close();
  });

  await t.test("two pages of one session stand each at its own time", async () => {
    const beside = await open(page.page.url());
    await beside.lights("session.open.suite.running");
    await beside.page.keyboard.press("Home");
    await beside.reads(".time .moment", /line [01] of/);
    await beside.reads(".time button", "Follow live");
    await page.reads(".time .badge", "following");
    await page.lights("session.open.suite.running");
    await beside.page.close();
  });

  await t.test("who may only look has no button to send, and is refused without one", async (t) => {
    await page.reads(".inspector h2", "session");
    t.same(
      await page.page.$$eval(".inspector button", (all) => all.filter((one) => /Send/.test(one.innerText))),
      [],
    );
    t.match(await sendByHand(page), { status: 403, body: { next: [/--allow-send/] } });
    await page.lights("session.open.suite.running");
  });

  await t.test("a page that lost its viewer for a while goes on where things are", async () => {
    await page.page.setOfflineMode(true);
    await page.reads(".badge", "reconnecting");
    await page.page.setOfflineMode(false);
    await page.reads(".badge", "live");
  });

  await t.test("an event is sent from a page that may, and the other one sees what it does", async (t) => {
    const sending = await open(sender.address);
    await sending.clicks(".empty button", "delay 1");
    await sending.lights("session.open.suite.running");
    await sending.clicks(".inspector button", "Send");
    await sending.types("dialog[open] input", "session.cancel_suit");
    await sending.clicks("dialog button[type=submit]", "Send");
    await sending.reads("dialog [role=alert]", "session.cancel_suite");
    await sending.types("dialog[open] input", "e");
    await sending.clicks("dialog button[type=submit]", "Send");
    await sending.reads("dialog [role=status]", "Sent session.cancel_suite");
    await sending.picture("sent");
    await page.reads(".badge", "ended");
    await page.clicks("[role=tab]", "Events");
    await page.types("#type-filter", "cancel_suite");
    await page.showsOnly(".event-row .type", "session.cancel_suite");
    t.match(await first.exited, { code: Number }, "the run ended by itself");
  });

  await t.test("a session that is killed stays with its past", async () => {
    const last = await open(`${page.page.url().split("#")[0]}#source=machines`);
    await last.reads(".notice", "A session runs");
    await last.clicks(".notice button", "Look at it");
    await last.lights("session.open.suite.running");
    await last.clicks("[role=tab]", "Events");
    await last.reads(".event-row .type", "test.started");
    second.kill("SIGKILL");
    await last.reads(".notice", `process ${second.pid}) died`);
    await last.reads(".badge", "ended");
    await last.page.waitForFunction(() => {
      const { scrollTop, clientHeight, scrollHeight } = document.querySelector(".events .virtual")!;
      return scrollHeight > clientHeight && scrollTop + clientHeight >= scrollHeight - 1;
    }); // the notice made the list lower
    await last.clicks("[role=tab]", "Chart");
    await last.page.evaluate(() => (document.activeElement as HTMLElement).blur()); // arrows go from tab to tab
    await last.page.keyboard.press("Home");
    await last.reads(".time .moment", /line [01] of/);
    await last.page.keyboard.press("ArrowRight");
    await last.reads(".time .moment", /line (?![01] )/);
    await last.picture("killed");
  });

  await t.test("machines are shown without a session, in dark too, large enough to be read", async (t) => {
    const machines = await open(`${page.page.url().split("#")[0]}#source=machines`);
    await machines.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
    const names = await machines.page.evaluate(async () => {
      const entries = await (await fetch("api/machines")).json() as { machine: string }[];
      return entries.map(({ machine }) => machine);
    });
    for (const name of names) await machines.reads(".gallery-entry strong", new RegExp(`^${name}$`));
    await machines.clicks(".gallery-entry strong", "session");
    await machines.reads(".chart-name", /^session$/);
    const [background, smallest] = await machines.page.$eval(".chart-frame svg", (svg) => [
      getComputedStyle(document.body).backgroundColor,
      Math.min(...[...svg.querySelectorAll("text")].map((text) => {
        const { a } = text.getScreenCTM()!;
        return parseFloat(getComputedStyle(text).fontSize) * a;
      })),
    ]);
    t.match(background, /^rgb\((\d|[0-5]\d), /, "dark");

    t.ok(smallest as number >= 6, "texts are so many pixels high at the first look", { smallest });
    const before = parseInt(await machines.reads(".chart-tools button", /%/));
    await machines.page.keyboard.press("+");
    const after = parseInt(await machines.reads(".chart-tools button", new RegExp(`^(?!${before} ).*%`)));
    t.ok(after > before, "a key zooms", { before, after });
    await machines.picture("machine-dark");
  });

  await t.test("a page whose viewer ended says what to do, and keeps what it shows", async (t) => {
    viewer.kill("SIGINT");
    t.equal((await viewer.exited).code, 130);
    await page.reads(".notice", "The viewer does not answer. If it ended, run pth viz");
    t.match(await page.reads(".inspector h2", "session"), "session");
    const again = await startViewer(t, home, "--port", new URL(origin).port);
    await page.reads(".notice", "again and open the address that it prints");
    await page.picture("viewer-ended");
    await page.page.goto(again.address);
    await page.reads("h1", "PTH");
  });

  for (const { complaints } of pages) {
    // Refusals and broken connections are what is tested; the browser tells them, too.
    t.same(
      complaints.filter((text) => !/^Failed to load resource/.test(text)),
      [],
      "and nobody else was asked",
    );
  }
});
