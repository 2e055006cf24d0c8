/// <reference lib="dom" />
/** What a page of another site gets of the visualizer, in a real browser that the visualizer has let in. */
// test: timeout=180
import t from "tap";
import { serveOnLoopback } from "../../../src/platform/http_server.ts";
import { createSources } from "../../../src/visualizer/server/sources.ts";
import { openViewer } from "../../../src/visualizer/server/open_viewer.ts";
import { chromium, openBrowser } from "../../support/browser.ts";

const executable = chromium();
const skip = executable === undefined && "no Chromium here: set PTH_CHROMIUM or install one";
if (skip) console.log(`# skipped: ${skip}`);

t.test("another site can neither read the visualizer nor send through it", { skip }, async (t) => {
  const sent: unknown[] = [];
  const session = {
    id: "a",
    owner: { pid: 1 },
    startedAt: "2026-01-15T10:30:00Z",
    command: "run",
    socket: "",
  };
  const viewer = await openViewer({
    sources: createSources({
      allowSend: true,
      world: {
        announcements: () => Promise.resolve([session]),
        openTimeline: () => Promise.resolve({ close: () => Promise.resolve() } as never),
        watch: () =>
          Promise.resolve({
            file: "",
            ended: new Promise(() => {}),
            send: (actor, event) => Promise.resolve(void sent.push({ actor, event })),
            close: () => Promise.resolve(),
          }),
      },
    }),
    bundle: { script: "globalThis.leaked = 'the script ran';", style: "" },
    again: "",
  });
  t.teardown(() => viewer.close());
  const ours = viewer.address().split("/?")[0]!;
  const html = { "content-type": "text/html" };
  // Another port of this host is the same site to a browser: cookies are sent along.
  const cookies: unknown[] = [];
  const asked: string[] = [];
  const other = await serveOnLoopback(({ path, headers: { cookie } }) => {
    asked.push(path);
    cookies.push(cookie);
    return Promise.resolve({
      status: 200,
      headers: html,
      body: `<script src="${ours}/page.js"></script>`,
    });
  });
  t.teardown(() => other.close());

  const browser = await openBrowser(t, executable!);
  const page = await browser.newPage();
  await page.goto(viewer.address());
  t.equal(page.url(), `${ours}/`, "let in, and the token is gone from the address");
  t.equal(await page.evaluate("leaked"), "the script ran", "in its own page");
  const send = (origin: string, mode: string, type: string) =>
    `fetch("${origin}/api/sources/live-a/send", { method: "POST", mode: "${mode}", credentials: "include",
      headers: { "content-type": "${type}" }, body: '{"actor":"x:1","event":{"type":"session.end"}}' })
      .then((answer) => answer.status, () => "refused")`;
  t.equal(await page.evaluate(send(ours, "cors", "application/json")), 200, "our own page sends");
  t.same(
    await page.evaluate(showOther, ours),
    ["image: came", "events: came"],
    "it shows pictures, and follows",
  );
  const forbidden = await page.evaluate(askInAllWays, `http://127.0.0.1:${other.port}`);
  t.same(
    forbidden,
    ["connect-src", "form-action", "frame-src", "img-src", "script-src-elem", "style-src-elem"],
    "whatever it tried to ask others for, its policy forbade",
  );
  t.same(asked, [], "and nobody else was asked");

  const foreign = await browser.newPage();
  for (const name of ["127.0.0.1", "localhost"]) {
    await foreign.goto(`http://${name}:${other.port}/`);
    t.equal(await foreign.evaluate("typeof leaked"), "undefined", `${name}: no script of ours runs there`);
    const read =
      `fetch("${ours}/api/sources", { credentials: "include" }).then(() => "read", () => "refused")`;
    t.equal(await foreign.evaluate(read), "refused", `${name}: nothing is read`);
    t.same(await foreign.evaluate(showOther, ours), ["image: failed", "events: failed"], name);
    await Promise.all([
      foreign.waitForNavigation(),
      foreign.evaluate(submitForm, `${ours}/api/sources/live-a/send`),
    ]);
    t.match(await foreign.$eval("body", ({ innerText }) => innerText), "The request comes from another site");
    await foreign.goBack();
    for (const type of ["application/json", "text/plain"]) {
      for (const mode of ["cors", "no-cors"]) await foreign.evaluate(send(ours, mode, type));
    }
  }
  t.equal(sent.length, 1, "what they sent did not arrive");
  t.strictSame([...new Set(cookies)], [undefined], "the cookie is not told to other servers of this host");
});

/** Runs in a page: asks a stranger in every way that pages have, and answers which rules forbade it. */
async function askInAllWays(stranger: string): Promise<string[]> {
  const rules = new Set<string>();
  document.addEventListener("securitypolicyviolation", (event) => rules.add(event.effectiveDirective));
  const add = (name: string, facts: Record<string, string>) =>
    document.body.append(Object.assign(document.createElement(name), facts));
  await fetch(`${stranger}/fetch`, { mode: "no-cors" }).catch(() => {}); // that is what is wanted
  navigator.sendBeacon(`${stranger}/beacon`, "told");
  new EventSource(`${stranger}/events`).close();
  new WebSocket(`${stranger.replace("http", "ws")}/socket`);
  add("img", { src: `${stranger}/image` });
  add("script", { src: `${stranger}/script` });
  add("link", { rel: "stylesheet", href: `${stranger}/style` });
  add("iframe", { src: `${stranger}/frame` });
  const form = Object.assign(document.createElement("form"), { action: `${stranger}/form`, method: "post" });
  document.body.append(form);
  form.submit();
  for (let tries = 0; rules.size < 6 && tries < 1000; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return [...rules].sort();
}

/** Runs in a page: an image of the visualizer, and what it tells as it happens. */
async function showOther(visualizer: string): Promise<string[]> {
  const came = (what: string, from: EventTarget, success: string) =>
    new Promise<string>((resolve) => {
      from.addEventListener(success, () => resolve(`${what}: came`));
      from.addEventListener("error", () => resolve(`${what}: failed`));
    });
  const image = Object.assign(new Image(), { src: `${visualizer}/api/machines/call.svg` });
  const events = new EventSource(`${visualizer}/api/feed`, { withCredentials: true });
  const told = await Promise.all([came("image", image, "load"), came("events", events, "open")]);
  events.close();
  return told;
}

/** Runs in a page: a form is JSON enough for servers that do not look at its type. */
function submitForm(action: string): void {
  const form = Object.assign(document.createElement("form"), {
    action,
    method: "post",
    enctype: "text/plain",
  });
  const facts = { name: '{"actor":"x:1","event":{"type":"session.end","a":"', value: '"}}' };
  form.append(Object.assign(document.createElement("input"), facts));
  document.body.append(form);
  form.submit();
}
