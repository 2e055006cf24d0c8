/// <reference lib="dom" />
/** The visualizer's page as a person has it before them, in a real Chromium. */
import { join } from "node:path";
import type { Browser, ElementHandle, Page } from "puppeteer-core";
import type { Test } from "tap";
import { mkdir } from "../../../src/platform/files.ts";
import { openBrowser } from "../../support/browser.ts";
import { root } from "../../support/pth_run.ts";

/** Pictures of what was seen, for people; git ignores the folder. */
const pictures = join(root, ".build/visualizer");

export interface WatchedPage {
  page: Page;
  /** What a page should not do: requests to anyone but its viewer, errors. */
  complaints: string[];
  /** Addresses that it asked for, as the browser's own protocol tells them: from its first. */
  requests: string[];
  /** Waits until the element is there and its text has this part; answers the text. */
  reads(selector: string, part: string | RegExp): Promise<string>;
  /** Waits until there are such elements, and all have this text in theirs. */
  showsOnly(selector: string, text: string): Promise<void>;
  /** Waits until this state of the shown chart is lit. */
  lights(state: string): Promise<void>;
  /** Clicks the first element of the selector whose text has this part. */
  clicks(selector: string, part: string): Promise<void>;
  types(selector: string, text: string): Promise<void>;
  /** What the page's link saves. */
  recording(): Promise<string>;
  picture(name: string): Promise<void>;
}

const patienceMs = 40_000;
let failures = 0;

/** In a browser of its own. */
export const openPage = async (t: Test, chromium: string, address: string): Promise<WatchedPage> =>
  await watchPage(await openBrowser(t, chromium), address);

/** Another tab. */
export async function watchPage(browser: Pick<Browser, "newPage">, address: string): Promise<WatchedPage> {
  const page = await browser.newPage();
  page.setDefaultTimeout(patienceMs);
  await page.setViewport({ width: 1280, height: 800 });
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(`error: ${String(error)}`));
  page.on("console", (message) => {
    // Before an actor begins there is nothing to be told of it: the page asks, and says so.
    if (!/the server responded with a status of 404/.test(message.text())) complaints.push(message.text());
  });
  const requests: string[] = [];
  const asks = (url: string, type = "") => {
    requests.push(url);
    const { origin, hostname } = new URL(url);
    const own = /^(data|blob):/.test(url) ||
      [address, page.url()].some((own) => new URL(own).origin === origin);
    // The address of a session leads on to its viewer, which has a port of its own.
    if (!own && !(type === "Document" && hostname === "127.0.0.1")) complaints.push(`request: ${url}`);
  };
  const network = await page.createCDPSession();
  await network.send("Network.enable");
  network.on("Network.requestWillBeSent", ({ request, type }) => asks(request.url, type));
  network.on("Network.webSocketCreated", ({ url }) => asks(url));
  await page.goto(address);

  const picture = async (name: string) => {
    await mkdir(pictures, { recursive: true });
    await page.screenshot({ path: join(pictures, `${name}.png`) as `${string}.png` });
  };
  /** The first such element, once it is there; what was there instead is in a picture. */
  const find = async (selector: string, part: string | RegExp) => {
    const { source, flags } = typeof part === "string" ? new RegExp(escaped(part)) : part;
    // Behind another tab nothing is drawn.
    await page.bringToFront();
    try {
      return await page.waitForFunction(
        (selector, source, flags) =>
          [...document.querySelectorAll(selector)]
            .find(({ textContent }) => new RegExp(source, flags).test(textContent ?? "")),
        {},
        selector,
        source,
        flags,
      ) as ElementHandle<Element>;
    } catch (error) {
      await picture(`failed-${++failures}`);
      throw new Error(`No ${selector} reads ${source}`, { cause: error });
    }
  };

  return {
    page,
    complaints,
    requests,
    reads: async (selector, part) =>
      await (await find(selector, part)).evaluate(({ textContent }) => textContent ?? ""),
    async showsOnly(selector, text) {
      const all = (selector: string, text: string) => {
        const found = [...document.querySelectorAll(selector)];
        return found.length > 0 && found.every(({ textContent }) => textContent?.includes(text));
      };
      await page.waitForFunction(all, {}, selector, text);
    },
    lights: async (state) => void await find(`.chart-frame [data-state="${state}"].active`, ""),
    clicks: async (selector, part) => void await page.waitForFunction(press, {}, await find(selector, part)),
    types: async (selector, text) => await (await find(selector, "")).type(text),
    recording: () =>
      page.$eval(
        "a[download][href$='/recording']",
        async (link) => await (await fetch((link as HTMLAnchorElement).href)).text(),
      ),
    picture,
  };
}

/**
 * Clicks where a pointer would reach the element, else tells no. Looking and clicking are one: a notice that appears between
 * them would move the element from under the pointer.
 */
function press(element: Element): boolean {
  element.scrollIntoView({ block: "nearest", inline: "nearest" });
  const { left, top, width, height } = element.getBoundingClientRect();
  const reached = document.elementFromPoint(left + width / 2, top + height / 2);
  if (!element.contains(reached)) return false;
  (element as HTMLElement).click();
  return true;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
