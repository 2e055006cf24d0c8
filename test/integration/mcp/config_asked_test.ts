// test: timeout=300
/** Configuration that a plugin needs and nobody gave is asked for through the MCP client, as far as the client can. */
import t, { type Test } from "tap";
// Deno does not find the declarations behind this package's pattern export when the name ends in ".js".
// @ts-types="@modelcontextprotocol/sdk/types"
import {
  ElicitationCompleteNotificationSchema,
  ElicitRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/sdk/types";
import { writeTextFile } from "../../../src/platform/files.ts";
import { eventually } from "../../contracts/runtime/context.ts";
import { openShop, type Shop } from "../../support/shop_client.ts";

const key = "tulip-mania-1637";
t.setTimeout(200_000);

type Params = ElicitRequest["params"];

/** A client with these abilities; `answer` stands for the person. */
async function greeter(
  t: Test,
  elicitation: Record<string, object> | undefined,
  answer: (params: Params) => Promise<ElicitResult> | ElicitResult,
  env: Record<string, string> = {},
): Promise<Shop & { asked: Params[]; completed: string[] }> {
  const shop = await openShop(t, { env, ...(elicitation ? { capabilities: { elicitation } } : {}) });
  const asked: Params[] = [];
  const completed: string[] = [];
  if (elicitation) {
    shop.client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      asked.push(params);
      return await answer(params);
    });
    shop.client.setNotificationHandler(
      ElicitationCompleteNotificationSchema,
      ({ params }) => void completed.push(params.elicitationId),
    );
  }
  const started = await shop.call("pth_start_session", { pluginPath: shop.plugin("greeter") });
  t.notOk(started.isError, started.text);
  const provisioned = await shop.call("pth_provision_environment", { runtime: "host" });
  t.notOk(provisioned.isError, provisioned.text);
  return Object.assign(shop, { asked, completed });
}

/** Fills the page in as a browser would. */
async function fillIn(url: string, values: Record<string, string>): Promise<Response> {
  const body = new URLSearchParams(values).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded", origin: new URL(url).origin };
  return await fetch(url, { method: "POST", body, headers });
}

t.test("without elicitation the answer names what is missing, what is declared, and every way to give it in a call", async (t) => {
  const shop = await greeter(t, undefined, () => ({ action: "cancel" }), { PTH_TEST_KEY: key });
  const { text, isError, data } = await shop.call("pth_load_plugin");
  t.equal(isError, true);
  t.match(text, /needs GREETING, API_KEY \[CONFIG_MISSING\]/);
  t.match(text, /GREETING: missing \(package\.json\): The word to greet with/);
  t.match(text, /API_KEY: missing \(secret, package\.json\)/);
  t.match(text, /VOLUME: default/);
  t.match(text, /SIGNATURE: not given, optional/);
  t.match(text, /Asked: nobody, since the MCP client has no elicitation/);
  for (const way of ["configValues", "secrets: [NAME]", "secretsFile"]) t.match(text, way);
  t.notMatch(text, "--var", "a tool call takes no options");
  t.match(data, { error: { difference: [{ name: "GREETING", state: "missing" }, { name: "API_KEY" }] } });
  const missing = await shop.call("pth_load_plugin", { secrets: ["PTH_NO_SUCH"], secretsFile: "/no/such" });
  t.match(missing.text, /PTH_NO_SUCH is not in PTH's environment/);
  t.match(missing.text, /\/no\/such: there is no such file/);
  await writeTextFile(`${shop.folder}/secrets.env`, `# for the test\nexport API_KEY="${key}"\n`);
  const loaded = await shop.call("pth_load_plugin", {
    configValues: { GREETING: "Hello" },
    secretsFile: `${shop.folder}/secrets.env`,
  });
  t.notOk(loaded.isError, loaded.text);
  t.match(await shop.use("greet"), /Hello|REDACTED/);
});

t.test("what is not secret is asked for in a form, and holds for later loads", async (t) => {
  const shop = await greeter(t, { form: {} }, () => ({ action: "accept", content: { GREETING: "Ahoy" } }));
  const loaded = await shop.call("pth_load_plugin", { configValues: { API_KEY: key } });
  t.notOk(loaded.isError, loaded.text);
  t.equal(shop.asked.length, 1);
  t.match(shop.asked[0], {
    mode: "form",
    message: /greeter does not start without GREETING \(The word to greet with\)/,
    requestedSchema: { properties: { GREETING: { type: "string" } }, required: ["GREETING"] },
  });
  t.equal(await shop.use("greet"), `Ahoy, loud, ${key.length} characters of key, unsigned`);
  t.match((await shop.call("pth_get_plugin_config")).text, /GREETING=Ahoy {2}\(asked for\)/);
  t.notOk((await shop.call("pth_reload_plugin")).isError);
  const replaced = await shop.call("pth_reprovision_environment", {});
  t.notOk(replaced.isError, replaced.text);
  t.match(await shop.use("greet"), /^Ahoy/);
  t.equal(shop.asked.length, 1, "asked once");
});

t.test("a secret is never asked for in a form", async (t) => {
  const shop = await greeter(
    t,
    {},
    () => ({ action: "accept", content: { GREETING: "Ahoy", API_KEY: key } }),
  );
  const { text, isError } = await shop.call("pth_load_plugin");
  t.equal(isError, true);
  t.match(text, /\[CONFIG_MISSING\]/);
  t.match(text, /API_KEY must not pass through the client's forms/);
  t.strictSame(shop.asked, [], "nor is the rest, which alone would not help");
});

for (const action of ["decline", "cancel"] as const) {
  t.test(`a person who answers with ${action} is told so, and the session goes on`, async (t) => {
    const shop = await greeter(t, { form: {}, url: {} }, () => ({ action }));
    const { text, isError } = await shop.call("pth_load_plugin");
    t.equal(isError, true);
    t.match(text, /\[CONFIG_MISSING\]/);
    t.match(
      text,
      action === "decline" ? /Asked: the person, who declined/ : /Asked: the person, who dismissed/,
    );
    t.equal(shop.asked.length, 1);
    const loaded = await shop.call("pth_load_plugin", { configValues: { GREETING: "Hello", API_KEY: key } });
    t.notOk(loaded.isError, loaded.text);
  });
}

t.test("a client that fails to ask hides nothing", async (t) => {
  const shop = await greeter(t, { form: {} }, () => Promise.reject(new Error("no window")));
  const { text } = await shop.call("pth_load_plugin", { configValues: { API_KEY: key } });
  t.match(text, /needs GREETING \[CONFIG_MISSING\]/);
  t.match(text, /the client could not: .*no window/);
});

t.test("secrets are typed on a page that works once, and are found nowhere afterwards", async (t) => {
  const seen: { wrong: number; empty: number; foreign: number; page: string; done: number; url: string }[] =
    [];
  const shop = await greeter(t, { form: {}, url: {} }, async (params) => {
    if (params.mode !== "url") return { action: "accept", content: { GREETING: "Ahoy" } };
    const { url } = params;
    const origin = "http://evil.example";
    seen.push({
      url,
      wrong: (await fetch(url.slice(0, -1) + "_")).status,
      page: await (await fetch(url)).text(),
      empty: (await fillIn(url, { API_KEY: "" })).status,
      foreign: (await fetch(url, { method: "POST", body: "API_KEY=x", headers: { origin } })).status,
      done: (await fillIn(url, { API_KEY: key })).status,
    });
    return { action: "accept" };
  });
  const loaded = await shop.call("pth_load_plugin");
  t.notOk(loaded.isError, loaded.text);
  t.strictSame(shop.asked.map(({ mode }) => mode), ["form", "url"]);
  t.match(seen, [{ wrong: 404, empty: 400, foreign: 404, done: 200 }]);
  t.match(seen[0]!.url, /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}$/);
  t.match(seen[0]!.page, /name="API_KEY" type="password"/);
  t.notMatch(seen[0]!.page, /GREETING/);
  const later = await fetch(seen[0]!.url).then(({ status }) => status, () => "closed");
  t.equal(later, "closed");
  t.equal(shop.completed.length, 1);
  t.equal(await shop.use("greet"), `Ahoy, loud, ${key.length} characters of key, unsigned`);
  t.match((await shop.call("pth_get_plugin_config")).text, /API_KEY=\[REDACTED\]/);
  const ended = await shop.call("pth_end_session");
  t.notOk(ended.isError, ended.text);
  t.notMatch([loaded.text, await shop.written()].join("\n"), key);
  t.strictSame(await shop.copies(), []);
});

t.test("a page alone takes everything; giving a load up closes it", async (t) => {
  let url = "";
  let page = "";
  const shop = await greeter(t, { url: {} }, async (params) => {
    url = params.mode === "url" ? params.url : "";
    page = await (await fetch(url)).text();
    return { action: "accept" };
  });
  const stop = new AbortController();
  const load = shop.client.callTool({ name: "pth_load_plugin", arguments: {} }, undefined, {
    signal: stop.signal,
    timeout: 60_000,
  });
  t.ok(await eventually(() => Promise.resolve(page !== ""), 60_000), "the page was read");
  t.match(page, /name="GREETING" type="text"/);
  stop.abort();
  await t.rejects(load);
  const isClosed = () => fetch(url).then((answer) => answer.text()).then(() => false, () => true);
  t.ok(await eventually(isClosed, 60_000), "nothing listens any more");
  const loaded = await shop.call("pth_load_plugin", { configValues: { GREETING: "Hello", API_KEY: key } });
  t.notOk(loaded.isError, loaded.text);
});
