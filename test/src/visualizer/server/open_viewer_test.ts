import { join } from "node:path";
import t, { type Test } from "tap";
import { PthError } from "../../../../src/core/errors.ts";
import type { Announcement } from "../../../../src/registry/announcement.ts";
import type { WatchedSession } from "../../../../src/visualizer/live/watch_session.ts";
import { openViewer } from "../../../../src/visualizer/server/open_viewer.ts";
import { createSources } from "../../../../src/visualizer/server/sources.ts";
import { openTimeline } from "../../../../src/visualizer/timeline/open_timeline.ts";

const recording = [
  { format: "pth-recording/2", startedAt: "2026-01-15T10:30:00.000Z", pth: "0.1.0", command: "run" },
  { at: 0, type: "actor", actor: "x:0", id: "x:0", machine: "harness" },
  { at: 1, type: "event", actor: "x:0", event: { type: "harness.start" } },
  { at: 2, type: "actor", actor: "x:1", id: "session", parent: "x:0", machine: "session" },
  { at: 3, type: "snapshot", actor: "x:1", value: "preparing", status: "active", context: { mode: "run" } },
  {
    at: 50,
    type: "event",
    actor: "x:1",
    source: "x:0",
    event: { type: "session.provision", image: "debian12" },
  },
  { at: 51, type: "event", actor: "x:1", event: { type: "xstate.init", input: {} } },
  { at: 60, type: "event", actor: "x:1", event: { type: "session.end" } },
].map((line) => JSON.stringify(line)).join("\n") + "\n";

interface Served {
  /** As the browser that was let in. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  json(path: string): Promise<{ status: number; body: unknown }>;
  viewer: Awaited<ReturnType<typeof openViewer>>;
  /** Events that a session was sent. */
  sent: unknown[];
}

const announcement: Announcement = {
  id: "a",
  owner: { pid: 1 },
  startedAt: "2026-01-15T10:30:00.000Z",
  command: "run",
  target: 'a "name"\r\nset-cookie: stolen=1',
  socket: "/nowhere",
};

/** A viewer of a recording, and of a session that is said to run. */
async function serve(t: Test, { text = recording, allowSend = false } = {}): Promise<Served> {
  const file = join(t.testdir({ "run.jsonl": text }), "run.jsonl");
  const sent: unknown[] = [];
  const watched: WatchedSession = {
    file,
    ended: new Promise(() => {}),
    send(actor, event) {
      if (event.type === "session.unknown") {
        throw new PthError("INVALID_INPUT", "Cannot send: it knows no such event");
      }
      sent.push({ actor, event });
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
  const sources = createSources({
    recording: file,
    allowSend,
    world: {
      openTimeline,
      announcements: () => Promise.resolve([announcement]),
      watch: () => Promise.resolve(watched),
    },
  });
  const viewer = await openViewer({
    sources,
    bundle: { script: "run();", style: "body {}" },
    again: "Press Enter.",
  });
  t.teardown(() => viewer.close());
  const { origin, pathname } = new URL(viewer.address());
  const entry = await fetch(viewer.address(), { redirect: "manual" });
  await entry.body?.cancel();
  const cookie = entry.headers.get("set-cookie")!.split(";")[0]!;
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${origin}${pathname}${path.slice(1)}`, { ...init, headers: { cookie, origin, ...init.headers } });
  const json = async (path: string) => {
    const response = await ask(path);
    return { status: response.status, body: await response.json() };
  };
  return { ask, json, viewer, sent };
}

const source = "/api/sources/recording";

t.test("the page and its files are served to who was let in, and to nobody else", async (t) => {
  const { ask, viewer } = await serve(t);
  for (
    const [path, type] of [["/", "text/html"], ["/page.js", "text/javascript"], ["/page.css", "text/css"]]
  ) {
    const response = await ask(path!);
    t.equal(response.status, 200);
    t.match(response.headers.get("content-type"), type!);
    t.match(response.headers.get("content-security-policy"), "default-src 'none'");
    await response.text();
    const stranger = await fetch(`http://127.0.0.1:${viewer.port}${path}`);
    t.equal(stranger.status, 403, `${path} without the cookie`);
    t.match(await stranger.text(), "Press Enter.");
  }
  t.equal((await ask("/nothing")).status, 404);
  t.equal((await ask("/../../etc/passwd")).status, 404);
  t.equal(
    (await ask("/", { method: "POST", body: "{}", headers: { "content-type": "application/json" } })).status,
    404,
  );
});

t.test("a recording is told as a whole", async (t) => {
  const { json } = await serve(t);
  t.match((await json("/api/sources")).body, [{ id: "recording", state: "whole" }, {
    id: "live-a",
    state: "live",
  }]);
  t.match((await json(source)).body, {
    source: { id: "recording" },
    header: { command: "run" },
    length: 7,
    duration: 60,
    growing: false,
    problems: [],
    events: 4,
  });
  t.match((await json(`${source}/position?ms=55`)).body, { position: 6 });
  t.same((await json(`${source}/trouble`)).body, []);
});

t.test("events are told in pages, by a filter", async (t) => {
  const { json } = await serve(t);
  const types = async (query: string) => {
    const { body } = await json(`${source}/events?${query}`);
    const { total, rows } = body as { total: number; rows: { type: string }[] };
    return [total, ...rows.map(({ type }) => type)];
  };
  t.same(await types(""), [3, "harness.start", "session.provision", "session.end"]);
  t.same(await types("from=1&count=1"), [3, "session.provision"]);
  t.same(await types("internal=true&count=0"), [4]);
  t.same(await types("type=provision"), [1, "session.provision"]);
  t.same(await types("text=DEBIAN12"), [1, "session.provision"]);
  t.same(await types("actors=x:0,x:7"), [2, "harness.start", "session.provision"]);
  t.same(await types("since=10&until=55"), [1, "session.provision"]);
  t.same((await json(`${source}/events/at?position=3`)).body, { index: 1 });
  t.match((await json(`${source}/events/5`)).body, {
    event: { type: "session.provision", image: "debian12" },
  });
});

t.test("actors are told as they were at a position, and at the end without one", async (t) => {
  const { json } = await serve(t);
  t.match((await json(`${source}/actors?at=1`)).body, [{ actor: "x:0" }]);
  const which = "ended=100&endedOfEach=0&selected=x:1";
  t.match((await json(`${source}/actors?at=1&${which}`)).body, [{ actor: "x:0" }]);
  t.match((await json(`${source}/actors`)).body, [{ actor: "x:0" }, { actor: "x:1", value: "preparing" }]);
  t.match((await json(`${source}/actors/x:1`)).body, { context: { mode: "run" }, explanation: {} });
});

t.test("what makes no sense is refused by the name of what is wrong", async (t) => {
  const { json } = await serve(t);
  const refused: [string, number, RegExp][] = [
    [`${source}/events?count=many`, 400, /count must be a number.*"many"/],
    [`${source}/events?count=100000`, 400, /count must be at most/],
    [`${source}/events?from=-1`, 400, /from must be/],
    [`${source}/events?internal=perhaps`, 400, /internal must be true or false/],
    [`${source}/events/0`, 400, /position/],
    [`${source}/events/99`, 400, /position/],
    [`${source}/position`, 400, /ms must be .* missing/],
    [`${source}/actors?at=1.5`, 400, /at must be a whole number/],
    [`${source}/actors/x:1?ms=soon`, 400, /ms must be a number/],
    [`${source}/actors/%E0%A4%A`, 400, /percent-encoded/],
    ["/api/sources/live-gone", 404, /no source "live-gone"/],
    ["/api/machines/nothing", 404, /no machine nothing/],
    ["/api/nothing", 404, /no \/api\/nothing/],
    [`${source}/send`, 405, /GET is not supported here/],
  ];
  for (const [path, status, message] of refused) {
    const { status: told, body } = await json(path);
    t.equal(told, status, path);
    t.match(body, { code: String, message });
  }
  t.match((await json(`${source}/actors/x:9`)).status, 404, "an actor that there is not");
});

t.test("the recording and its sequence are there as files", async (t) => {
  const { ask } = await serve(t);
  const file = await ask(`${source}/recording`);
  t.match(file.headers.get("content-disposition"), 'filename="run.jsonl"');
  t.equal(await file.text(), recording);
  const named = await ask("/api/sources/live-a/recording");
  t.match(named.headers.get("content-disposition"), 'filename="a_name_set-cookie_stolen_1.jsonl"');
  t.equal(named.headers.get("set-cookie"), null, "a session's name adds no header");
  await named.text();
  t.match(await (await ask(`${source}/sequence.mmd`)).text(), /^sequenceDiagram\n[^]*session\.provision/);
});

t.test("machines are told as they are, and drawn with and without their style", async (t) => {
  const { ask, json } = await serve(t);
  const { body } = await json("/api/machines");
  t.match(body, [{ machine: String, states: Number, transitions: Number }]);
  t.match((await json("/api/machines/call")).body, { chart: { machine: "call" }, states: {} });
  const bare = await ask("/api/machines/call.svg?bare=true");
  t.match(bare.headers.get("content-type"), "image/svg+xml");
  t.notMatch(await bare.text(), "<style>");
  const alone = await ask("/api/machines/call.svg?active=call.leasing");
  t.match(alone.headers.get("content-security-policy"), "style-src 'unsafe-inline'");
  const picture = await alone.text();
  t.match(picture, "<style>");
  t.match(picture, /class="state[^"]* active[^"]*" data-state="call\.leasing"/);
});

t.test("a cut recording is shown up to the cut, and says so", async (t) => {
  const { json } = await serve(t, { text: recording.slice(0, -20) });
  const { body } = await json(source);
  const { length, problems } = body as { length: number; problems: string[] };
  t.equal(length, 6);
  t.match(problems, [/cut off/]);
});

t.test("a feed tells what there is and goes on; a viewer knows how long nobody looks", async (t) => {
  const { ask, viewer } = await serve(t);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const leave = new AbortController();
  const response = await ask("/api/sources/live-a/feed", { signal: leave.signal });
  t.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let heard = "";
  while (!heard.includes("event: growth")) heard += (await reader.read()).value;
  t.match(heard, /retry: \d+/);
  t.match(heard, /event: sources\ndata: \[\{"id":"recording"/);
  t.match(heard, /event: growth\ndata: \{"length":7,/);
  t.equal(viewer.idleMs(), 0, "one page looks");
  leave.abort();
  for (let tries = 0; viewer.idleMs() === 0 && tries < 100; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  t.ok(viewer.idleMs() > 0, "it has gone");
});

t.test("events are sent to live sessions only, and only where that was allowed", async (t) => {
  const post = (served: Served, id: string, body: string) =>
    served.ask(`/api/sources/${id}/send`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });
  const request = JSON.stringify({ actor: "x:1", event: { type: "session.end", keep: true } });
  const looking = await serve(t);
  const refused = await post(looking, "live-a", request);
  t.equal(refused.status, 403);
  t.match(await refused.json(), { next: [/--allow-send/] });
  t.same(looking.sent, []);

  const served = await serve(t, { allowSend: true });
  const taken = await post(served, "live-a", request);
  t.same([taken.status, await taken.json()], [200, { sent: true }]);
  t.same(served.sent, [{ actor: "x:1", event: { type: "session.end", keep: true } }]);
  t.equal((await post(served, "recording", request)).status, 409, "the past takes no events");
  for (
    const bad of [
      "",
      "no json",
      "[]",
      "{}",
      '{"actor":"x:1"}',
      '{"actor":"x:1","event":{}}',
      '{"actor":1,"event":{"type":"a"}}',
    ]
  ) {
    t.equal((await post(served, "live-a", bad)).status, 400, bad);
  }
  const long = await post(served, "live-a", `{"actor":"x:1","event":{"type":"${"a".repeat(3_000_000)}"}}`);
  t.match([long.status, await long.json()], [400, { message: /longer than/ }], "told, not cut off");
  const unknown = await post(served, "live-a", '{"actor":"x:1","event":{"type":"session.unknown"}}');
  t.match([unknown.status, await unknown.json()], [400, { message: /knows no such event/ }]);
  const foreign = await served.ask("/api/sources/live-a/send", {
    method: "POST",
    body: request,
    headers: { "content-type": "application/json", origin: "https://evil.example" },
  });
  t.equal(foreign.status, 403);
  t.equal(served.sent.length, 1);
});

t.test("a port that somebody holds is refused", async (t) => {
  const { viewer } = await serve(t);
  const sources = createSources({
    world: {
      openTimeline,
      announcements: () => Promise.resolve([]),
      watch: () => Promise.reject(new Error()),
    },
  });
  const again = openViewer({
    sources,
    bundle: { script: "", style: "" },
    again: "",
    port: viewer.port,
  });
  await t.rejects(again, { code: "PORT_TAKEN" });
});
