/** What a page of another site gets of the visualizer, in a real browser that the visualizer has let in. */
// test: timeout=120
import t from "tap";
import { serveOnLoopback } from "../../../src/platform/http_server.ts";
import { createSources } from "../../../src/visualizer/server/sources.ts";
import { openViewer } from "../../../src/visualizer/server/server.ts";
import { chromium, openBrowser } from "../browser.ts";

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
  const other = await serveOnLoopback(({ headers: { cookie } }) => {
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
  t.equal(
    await page.evaluate(`fetch("http://127.0.0.1:${other.port}/").then(() => "went out", () => "refused")`),
    "refused",
    "and asks nobody else",
  );

  const foreign = await browser.newPage();
  for (const name of ["127.0.0.1", "localhost"]) {
    await foreign.goto(`http://${name}:${other.port}/`);
    t.equal(await foreign.evaluate("typeof leaked"), "undefined", `${name}: no script of ours runs there`);
    const read =
      `fetch("${ours}/api/sources", { credentials: "include" }).then(() => "read", () => "refused")`;
    t.equal(await foreign.evaluate(read), "refused", `${name}: nothing is read`);
    for (const type of ["application/json", "text/plain"]) {
      for (const mode of ["cors", "no-cors"]) await foreign.evaluate(send(ours, mode, type));
    }
  }
  t.equal(sent.length, 1, "what they sent did not arrive");
  t.strictSame([...new Set(cookies)], [undefined], "the cookie is not told to other servers of this host");
});
