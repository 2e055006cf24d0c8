/** A real Chromium, where there is one. */
import { existsSync } from "node:fs";
import process from "node:process";
import type { Test } from "tap";
import puppeteer, { type Browser } from "puppeteer-core";

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
