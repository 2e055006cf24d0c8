import t from "tap";
import { openValuePage } from "../../../src/server/value_page.ts";

const question = {
  plugin: "<greeter>",
  missing: [
    { name: "API_KEY", secret: true, source: "package.json", description: 'The "key"' },
    { name: "REGION", secret: false, source: "server.json" },
  ],
};
const post = (url: string, values: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    body: new URLSearchParams(values).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });
const values = { API_KEY: "k ey&1", REGION: "eu" };

t.test("the page asks for each value, secrets unseen, and what it shows is escaped", async (t) => {
  const page = await openValuePage(question);
  t.teardown(() => page.close());
  const response = await fetch(page.url);
  t.match(response.headers.get("content-security-policy"), "default-src 'none'");
  t.equal(response.headers.get("cache-control"), "no-store");
  const text = await response.text();
  t.match(text, 'name="API_KEY" type="password"');
  t.match(text, 'name="REGION" type="text"');
  t.match(text, "&lt;greeter&gt;");
  t.match(text, "The &quot;key&quot;, package.json");
});

t.test("values are taken once, as they were typed", async (t) => {
  const page = await openValuePage(question);
  t.teardown(() => page.close());
  const incomplete = await post(page.url, { API_KEY: "x" });
  t.equal(incomplete.status, 400);
  t.match(await incomplete.text(), "Still missing: REGION");
  t.equal((await post(page.url, { ...values, MORE: "z" })).status, 200);
  t.strictSame(await page.given, values);
  t.equal((await post(page.url, { ...values, REGION: "us" })).status, 404);
  t.equal((await fetch(page.url)).status, 404);
});

t.test("who does not know the path, or comes from another site, gets nothing", async (t) => {
  const page = await openValuePage(question);
  t.teardown(() => page.close());
  const { origin } = new URL(page.url);
  const wrong = [origin, `${origin}/`, `${page.url}x`, `${page.url.slice(0, -1)}!`, `${page.url}?a=1`];
  for (const url of wrong) t.equal((await fetch(url)).status, 404, url);
  t.equal((await post(page.url, values, { origin: "http://evil.example" })).status, 404);
  t.equal((await post(page.url, values, { origin: "null" })).status, 404);
  t.equal((await fetch(page.url, { method: "PUT", body: "x" })).status, 405);
  t.equal((await post(page.url, values, { origin })).status, 200);
});

t.test("a body without end is not read to its end", async (t) => {
  const page = await openValuePage(question);
  t.teardown(() => page.close());
  const huge = await post(page.url, { API_KEY: "x".repeat(2 * 1024 * 1024), REGION: "eu" })
    .then(({ status }) => status, () => "cut off");
  t.ok(huge === 500 || huge === "cut off", String(huge));
  t.equal((await fetch(page.url)).status, 200);
});

t.test("after it was closed nothing listens any more", async (t) => {
  const page = await openValuePage(question);
  await page.close();
  await t.rejects(fetch(page.url));
});
