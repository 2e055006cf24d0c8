// test: timeout=180
/** A session of `pth mcp` is watched by the address that its start answers. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import { signalProcess } from "../../../src/platform/process.ts";
import { listAnnouncements } from "../../../src/visualizer/live/list_announcements.ts";
import type { ViewerSource } from "../../../src/visualizer/server/api.ts";
import type { ActorRow } from "../../../src/visualizer/timeline/timeline.ts";
import { makeRepository } from "../../src/session/helpers.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { viewersOf } from "../../support/viewers.ts";
import { initialize, initialized, line, startRaw } from "../../support/mcp_process.ts";
import { adderServer } from "../../support/small_server.ts";

t.setTimeout(170_000);

/** A browser as far as it matters: it follows, and keeps the cookies of a host whatever the port. */
function browser() {
  const cookies = new Map<string, string>();
  return async function visit(
    address: string,
    init: RequestInit = {},
  ): Promise<{ url: string; status: number; text: string }> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...init.headers, ...(cookie ? { cookie } : {}) };
    const response = await fetch(address, { ...init, headers, redirect: "manual" });
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(response.headers.get("set-cookie") ?? "") ?? [];
    if (name !== undefined) cookies.set(name, value!);
    const location = response.headers.get("location");
    const text = await response.text();
    if (location !== null) return await visit(new URL(location, address).href);
    return { url: address, status: response.status, text };
  };
}

async function until<T>(find: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 1200; tries > 0; tries--) {
    const found = await find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`does not come: ${find}`);
}

/** `pth mcp` with a session on a small plugin, spoken to by hand so that it can be killed. */
async function startSession(t: Test, ...args: string[]) {
  const folder = await temporaryFolder(t);
  const home = join(folder, "home");
  const pluginPath = join(folder, "plugin");
  await makeRepository(pluginPath, {
    "server.mjs": adderServer,
    "add.mjs": "export const add = (a, b) => a + b;",
  });
  const env = { PTH_HOME: home, PTH_WORKTREE_DIR: join(folder, "worktrees") };
  const server = await startRaw(["--structured", ...args], env);
  t.teardown(() => server.process.kill("SIGKILL"));
  let lastId = 1;
  server.write(initialize);
  await server.next();
  server.write(initialized);
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const id = ++lastId;
    server.write(line({ id, method: "tools/call", params: { name, arguments: input } }));
    for (;;) {
      const answer = await server.next() as {
        id?: number;
        result?: { structuredContent: Record<string, unknown>; content: { text: string }[] };
      };
      if (answer.id === id) {
        return { text: answer.result!.content[0]!.text, data: answer.result!.structuredContent };
      }
    }
  };
  const started = await call("pth_start_session", { pluginPath });
  return { live: join(home, "live"), server, call, started };
}

t.test("the address opens the page, the session's states and its actors; events may be sent where that is allowed", async (t) => {
  const { live, server, call, started } = await startSession(t, "--allow-send");
  const address = String(started.data["watch"]);
  t.match(address, /^http:\/\/127\.0\.0\.1:\d+\/pth_\w+\/\?token=[\w-]+$/);
  t.ok(
    started.text.endsWith(`\nWatch it: ${address} (for a person: a page on this machine, which opens once)`),
  );
  t.same(
    (await readdir(live)).map((name) => name.replace(/.*\./, "")).sort(),
    ["json", "sock"],
    "nobody watches",
  );
  const { id } = (await listAnnouncements(live))[0]!;
  // It would end by itself a minute after its last page.
  t.teardown(async () => (await viewersOf(id)).forEach((pid) => signalProcess(pid, "SIGTERM")));
  const visit = browser();
  const page = await visit(address);
  t.match(page, { status: 200, text: /<html/ });
  t.equal((await browser()(address)).status, 403, "it opens once");
  t.equal((await visit(address)).status, 200, "but for the browser that opened it");
  const here = new URL("./", page.url).href;
  const ask = async <T>(path: string) => JSON.parse((await visit(`${here}api/${path}`)).text) as T;
  const source = (await ask<ViewerSource[]>("sources")).find(({ kind }) => kind === "live")!;
  t.match(source, { state: "live", maySend: true });
  const session = await until(async () =>
    (await ask<ActorRow[]>(`sources/${source.id}/actors`)).find(({ machine, value }) =>
      machine === "session" && JSON.stringify(value).includes('"environment":"absent"')
    )
  );
  t.match(session.value, { open: { environment: "absent" } });
  await call("pth_provision_environment", { runtime: "host" });
  await until(async () => {
    const rows = await ask<ActorRow[]>(`sources/${source.id}/actors`);
    return rows.find(({ machine, value }) => machine === "environment" && value === "ready");
  });
  const send = (type: string) =>
    visit(`${here}api/sources/${source.id}/send`, {
      method: "POST",
      headers: { origin: new URL(here).origin, "content-type": "application/json" },
      body: JSON.stringify({ actor: session.actor, event: { type } }),
    });
  t.match(await send("session.cancel_suite"), { status: 200 });
  const refused = await send("session.cancel_suit");
  t.ok(refused.status >= 400 && refused.status < 500, refused.text);
  t.match(refused.text, /session\.cancel_suite/);
  // The host hangs up: the session ends, its past stays for the page until the viewer ends, too.
  server.process.stdin.end();
  await server.process.exited;
  await until(async () =>
    (await ask<ViewerSource[]>("sources")).find(({ id, state }) => id === source.id && state === "ended")
  );
  t.ok((await ask<ActorRow[]>(`sources/${source.id}/actors?at=10`)).length > 0, "the past stays");
  const [viewer, ...others] = await viewersOf(id);
  t.same(others, []);
  signalProcess(viewer!, "SIGTERM");
  await until(async () => (await viewersOf(id)).length === 0 ? true : undefined);
  t.same(await readdir(live), [], "nothing is left");
});

t.test("PTH_VIZ=0: no address, no announcement", async (t) => {
  process.env.PTH_VIZ = "0";
  t.teardown(() => delete process.env.PTH_VIZ);
  const { live, started } = await startSession(t);
  t.notOk("watch" in started.data);
  t.notMatch(started.text, /Watch it|127\.0\.0\.1/);
  await t.rejects(readdir(live), { code: "ENOENT" });
});
