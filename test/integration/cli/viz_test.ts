// test: timeout=180
/** `pth viz` as a process, asked as its page asks it. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { signalProcess } from "../../../src/platform/process.ts";
import { listAnnouncements } from "../../../src/visualizer/live/list_announcements.ts";
import type { Growth } from "../../../src/visualizer/timeline/timeline.ts";
import { startHangingRun } from "../../support/hanging_run.ts";
import { startPth } from "../../support/pth.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

type Pth = Awaited<ReturnType<typeof startPth>>;

/** Started in a group of its own, and ended with the test. */
async function start(t: Test, home: string, ...args: string[]): Promise<Pth> {
  const child = await startPth(args, { PTH_HOME: home, PTH_WORKTREE_DIR: home });
  t.teardown(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  child.stderr.resume();
  return child;
}

/** Lines of its stdout, one after the other. */
function linesOf({ stdout, exited }: Pth): () => Promise<string> {
  let text = "";
  let wake = () => {};
  let over = false;
  stdout.on("data", (chunk) => (text += String(chunk), wake()));
  void exited.then(() => (over = true, wake()));
  return async () => {
    while (!text.includes("\n") && !over) await new Promise<void>((resolve) => wake = resolve);
    const end = text.indexOf("\n") + 1;
    const line = text.slice(0, end);
    text = text.slice(end);
    return line;
  };
}

/** A browser that was let in. */
async function enter(address: string) {
  const page = address.split("?")[0];
  const entry = await fetch(address, { redirect: "manual" });
  await entry.body?.cancel();
  const cookie = entry.headers.get("set-cookie")?.split(";")[0] ?? "";
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${page}api/${path}`, { ...init, headers: { cookie, ...init.headers } });
  return { status: entry.status, ask, json: async (path: string) => await (await ask(path)).json() };
}
type Browser = Awaited<ReturnType<typeof enter>>;

/** Follows a feed, and answers when an event of this name has come that fits. */
async function listen(t: Test, browser: Browser, source: string) {
  const leave = new AbortController();
  t.teardown(() => leave.abort());
  const response = await browser.ask(`sources/${source}/feed`, { signal: leave.signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const until = async <Told>(name: string, fits: (told: Told) => boolean = () => true): Promise<Told> => {
    for (;;) {
      for (const [whole, event, data] of text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)) {
        text = text.slice(text.indexOf(whole) + whole.length);
        if (event === name && fits(JSON.parse(data!) as Told)) return JSON.parse(data!) as Told;
      }
      const { value, done } = await reader.read();
      if (done) throw new Error(`the feed ended before ${name}`);
      text += value;
    }
  };
  return { until, leave: () => leave.abort() };
}

t.test("a session is watched as it goes, by two pages, and stays with its past when it is killed", async (t) => {
  const home = await temporaryFolder(t);
  const viewer = await start(t, home, "viz", "--no-open");
  const address = (await linesOf(viewer)()).trim();
  t.match(address, /^http:\/\/127\.0\.0\.1:\d+\/pth_\w+\/\?token=[\w-]{43}$/);
  const page = await enter(address);
  t.equal(page.status, 303);
  t.equal((await enter(address)).status, 403, "the address opens once");
  t.same(await page.json("sources"), [], "nothing runs yet");

  const session = await startHangingRun(t, home);
  const picker = await listenToList(t, page);
  const [source] = await picker.until<{ id: string; state: string; maySend: boolean }[]>(
    "sources",
    (list) => list.length > 0,
  );
  t.match(source, { state: "live", maySend: false });
  const { id } = source!;
  const [first, second] = await Promise.all([listen(t, page, id), listen(t, page, id)]);
  const suite = `sources/${id}/events?type=session.run_suite`;
  for (const feed of [first, second]) {
    do await feed.until<Growth>("growth"); while ((await page.json(suite)).total === 0);
  }
  second.leave();
  const again = await listen(t, page, id);
  const { length } = await again.until<Growth>("growth");
  t.ok(length > 10, "a page that comes back is told where things are");
  t.match(await page.json(`sources/${id}/actors`), [{ machine: "harness" }, { machine: "session" }]);
  const live = join(home, "live");
  t.match(await listAnnouncements(live), [{
    command: "run",
    target: session.command,
    owner: { pid: session.pid },
  }]);

  signalProcess(-session.pid, "SIGKILL");
  t.match(await first.until("ended"), { reason: `pth run (process ${session.pid}) died` });
  t.same(await listAnnouncements(live), []);
  t.match(await picker.until<{ state: string }[]>("sources", ([one]) => one?.state === "ended"), [{ id }]);
  const past = await page.json(`sources/${id}`);
  t.match(past, { growing: false, source: { state: "ended" } });
  t.ok(past.length >= length, "and all that was recorded is there");
  t.match(await page.json(suite), { rows: [{ type: "session.run_suite" }] });

  viewer.kill("SIGINT");
  t.equal((await viewer.exited).code, 130);
  t.same(await readdir(live), [], "nobody reads it any more: nothing is left");
});

/** The feed without a source: who runs. */
async function listenToList(t: Test, browser: Browser) {
  const ask: Browser["ask"] = (_path, init) => browser.ask("feed", init);
  return await listen(t, { ...browser, ask }, "");
}

t.test("a viewer that was started for somebody tells addresses, and ends when nobody looks", async (t) => {
  // Long enough for what comes before the page follows, also on a slow machine.
  const viewer = await start(t, await temporaryFolder(t), "viz", "--spawned", "--idle", "4");
  const next = linesOf(viewer);
  const { address } = JSON.parse(await next());
  viewer.stdin.write("\n");
  const { address: other } = JSON.parse(await next());
  t.not(address, other);
  const page = await enter(other);
  t.equal(page.status, 303);
  const feed = await listenToList(t, page);
  await new Promise((resolve) => setTimeout(resolve, 4500));
  t.ok((await page.json("machines")).length > 5, "it stays while a page is there");
  feed.leave();
  t.equal((await viewer.exited).code, 0);
});
