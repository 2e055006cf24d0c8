/** A real Chromium, where there is one. */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import type { Test } from "tap";
import puppeteer, { type Browser, type Page } from "puppeteer-core";

const usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** What to start, or undefined; `PTH_CHROMIUM` names another. */
export const chromium = (): string | undefined =>
  process.env.PTH_CHROMIUM || usual.find((path) => existsSync(path));

/** It finds no host but this one, and only under the names that viewers have. */
const nobodyElse = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost";

/** Started for this test, and closed with it. Root may run it only without the browser's own sandbox. */
export async function openBrowser(t: Test, executablePath: string): Promise<Browser> {
  const asRoot = process.getuid?.() === 0;
  const args = ["--disable-dev-shm-usage", nobodyElse, ...(asRoot ? ["--no-sandbox"] : [])];
  const browser = await puppeteer.launch({ executablePath, args, timeout: 120_000 });
  t.teardown(() => browser.close());
  return browser;
}

export interface OpenedPage {
  page: Page;
  /** Everything that a page should not do. */
  complaints: string[];
}

export interface OpenOptions {
  javaScript?: boolean;
  width?: number;
  dark?: boolean;
  /** `#part` of the address. */
  hash?: string;
}

/** Opens a page that is one file of the folder. */
export async function openPage(
  browser: Browser,
  folder: string,
  html: string,
  { javaScript = true, width = 1100, dark = false, hash = "" }: OpenOptions = {},
): Promise<OpenedPage> {
  const file = join(folder, `${crypto.randomUUID()}.html`);
  await writeFile(file, html);
  const page = await browser.newPage();
  page.setDefaultTimeout(100_000);
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${String(error)}`));
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== pathToFileURL(file).href) {
      complaints.push(`request: ${request.url()}`);
    }
  });
  await page.setJavaScriptEnabled(javaScript);
  await page.setViewport({ width, height: 800 });
  // Without motion: a click must not land where the page has just scrolled away.
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: dark ? "dark" : "light" },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
  await page.goto(`${pathToFileURL(file).href}${hash}`);
  return { page, complaints };
}
