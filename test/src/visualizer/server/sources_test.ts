import t, { type Test } from "tap";
import { PthError } from "../../../../src/core/errors.ts";
import { log } from "../../../../src/platform/log.ts";
import type { Announcement } from "../../../../src/registry/announcement.ts";
import {
  createSources,
  type SourcesOptions,
  type SourcesWorld,
} from "../../../../src/visualizer/server/sources.ts";
import type { Timeline } from "../../../../src/visualizer/timeline/timeline.ts";

const session = (id: string, target?: string): Announcement => ({
  id,
  owner: { pid: 1 },
  startedAt: "2026-01-15T14:03:00",
  command: "run",
  socket: `/live/${id}.sock`,
  ...(target === undefined ? {} : { target }),
});

/** A world in which sessions come, go and are watched by hand. */
function stage() {
  const told: string[] = [];
  const ends = new Map<string, (end: { reason: string }) => void>();
  const stage = { living: [session("a", "./plugin")], told, ends, failing: false };
  const world: SourcesWorld = {
    openTimeline(path) {
      told.push(`open ${path}`);
      const close = () => Promise.resolve(void told.push(`close ${path}`));
      return Promise.resolve({ length: 3, close } as Partial<Timeline> as Timeline);
    },
    announcements: () =>
      stage.failing ? Promise.reject(new Error("no folder")) : Promise.resolve(stage.living),
    watch({ id }) {
      told.push(`watch ${id}`);
      return Promise.resolve({
        file: `${id}.jsonl`,
        ended: new Promise((resolve) => ends.set(id, resolve)),
        send: () => Promise.resolve(),
        close: () => Promise.resolve(void told.push(`leave ${id}`)),
      });
    },
  };
  return { stage, world };
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const quick = { lookEveryMs: 10, lingerMs: 150 };
/** Well after what nobody uses was closed. */
const afterLinger = 300;

/** A busy machine is slow: what is to come is waited for. */
async function until(comes: () => boolean): Promise<void> {
  for (let tries = 0; !comes() && tries < 300; tries++) await wait(10);
}

/** Sources that end with the test. */
function open(t: Test, options: Omit<SourcesOptions, "world"> = {}) {
  const { stage: scene, world } = stage();
  const sources = createSources({ world, ...quick, ...options });
  t.teardown(() => sources.close());
  return { stage: scene, sources };
}
t.test("the recording that was named comes first, then who runs", async (t) => {
  const { sources } = open(t, { recording: "/tmp/run.jsonl", allowSend: true });
  t.same(await sources.list(), [
    {
      id: "recording",
      kind: "recording",
      title: "run.jsonl",
      detail: "/tmp/run.jsonl",
      state: "whole",
      maySend: false,
    },
    {
      id: "live-a",
      kind: "live",
      title: "./plugin",
      detail: "pth run, since 14:03",
      state: "live",
      maySend: true,
    },
  ]);
});

t.test("the sessions of a matrix are told apart by their environments", async (t) => {
  const { stage, sources } = open(t);
  stage.living = ["host", "debian13"].map((entry) => ({ ...session(entry, "./plugin"), entry }));
  t.match(await sources.list(), [
    { title: "./plugin", detail: "pth run on host, since 14:03" },
    { title: "./plugin", detail: "pth run on debian13, since 14:03" },
  ]);
});

t.test("a session is watched once for all who look, and left a while after the last one", async (t) => {
  const { stage, sources } = open(t);
  const [first, second] = await Promise.all([sources.hold("live-a"), sources.hold("live-a")]);
  t.equal(first.open, second.open);
  first.release();
  first.release();
  await wait(afterLinger);
  t.same(stage.told, ["watch a", "open a.jsonl"], "one still looks");
  second.release();
  await sources.use("live-a", () => Promise.resolve());
  t.same(stage.told, ["watch a", "open a.jsonl"], "a reload of the page finds it open");
  await until(() => stage.told.includes("leave a"));
  t.same(stage.told.slice(2), ["close a.jsonl", "leave a"]);
  await sources.use("live-a", () => Promise.resolve());
  t.same(stage.told.slice(4), ["watch a", "open a.jsonl"], "who comes back has it watched anew");
});

t.test("a session that ends while it is watched stays, with its past", async (t) => {
  const { stage, sources } = open(t, { allowSend: true });
  const lists: string[] = [];
  sources.follow((list) => lists.push(list.map(({ id, state }) => `${id} ${state}`).join()));
  await sources.list();
  const { open: watched, release } = await sources.hold("live-a");
  stage.living = [];
  stage.ends.get("a")?.({ reason: "it was killed" });
  await wait(0);
  t.match(watched.source, { state: "ended", maySend: false });
  t.equal(lists.at(-1), "live-a ended", "who follows is told");
  release();
  await wait(afterLinger);
  t.notOk(stage.told.includes("close a.jsonl"), "it cannot be opened again: it stays open");
  await sources.use("live-a", ({ timeline }) => Promise.resolve(t.equal(timeline.length, 3)));
});

t.test("what a session says of itself later is told of it, also when it has ended", async (t) => {
  const { stage, sources } = open(t);
  stage.living = [session("a")];
  const { open: watched, release } = await sources.hold("live-a");
  t.equal(watched.source.title, "pth run");
  stage.living = [session("a", "./plugin")];
  await sources.list();
  t.equal(watched.source.title, "./plugin");
  stage.living = [];
  stage.ends.get("a")?.({ reason: "it was killed" });
  t.match(await sources.list(), [{ title: "./plugin", state: "ended" }]);
  release();
});

t.test("a session that cannot be left in order is told in the log, and the rest is left", async (t) => {
  const warned: string[] = [];
  t.intercept(log, "warn", { value: (message: string) => warned.push(message) });
  const { stage: scene, world } = stage();
  const watch = async (announcement: Announcement) => ({
    ...await world.watch(announcement),
    close: () => Promise.reject(new Error("the disk is gone")),
  });
  const sources = createSources({ world: { ...world, watch }, ...quick });
  t.teardown(() => sources.close());
  await sources.use("live-a", () => Promise.resolve());
  await until(() => warned.length > 0);
  t.strictSame(warned, ["Cannot close an unused source"]);
  await sources.use("live-a", () => Promise.resolve());
  t.equal(scene.told.filter((one) => one === "watch a").length, 2, "it can be watched anew");
});

t.test("a session that was left does not come back as a past when it ends", async (t) => {
  const { stage, sources } = open(t);
  await sources.use("live-a", () => Promise.resolve());
  await until(() => stage.told.includes("leave a"));
  stage.living = [];
  stage.ends.get("a")?.({ reason: "closed" });
  await wait(0);
  t.same(await sources.list(), []);
});

t.test("who follows hears of sessions as they come and go, and not of what stays", async (t) => {
  const { stage, sources } = open(t);
  const counts: number[] = [];
  const stop = sources.follow((list) => counts.push(list.length));
  await until(() => counts.length === 1);
  stage.living = [session("a"), session("b")];
  await until(() => counts.length === 2);
  stage.living = [];
  await until(() => counts.length === 3);
  stop();
  stage.living = [session("c")];
  await wait(50);
  t.same(counts, [1, 2, 0]);
});

t.test("sources that are not there are refused with what to do", async (t) => {
  const { stage, sources } = open(t);
  for (const id of ["recording", "live-b", "nonsense"]) {
    await t.rejects(sources.hold(id), { code: "INVALID_INPUT", context: { status: 404 } }, id);
  }
  stage.failing = true;
  t.same(await sources.list(), [], "a folder that cannot be read hides sessions, and fails nothing");
});

t.test("a session that cannot be watched is tried again by who asks next", async (t) => {
  const { world } = stage();
  let tries = 0;
  const sources = createSources({
    ...quick,
    world: {
      ...world,
      watch: (one) =>
        tries++ === 0
          ? Promise.reject(new PthError("NOT_NOW", "Cannot watch: it does not answer"))
          : world.watch(one),
    },
  });
  t.teardown(() => sources.close());
  await t.rejects(sources.hold("live-a"), { code: "NOT_NOW" });
  const { release } = await sources.hold("live-a");
  release();
  t.equal(tries, 2);
});

t.test("closing leaves every session that is watched", async (t) => {
  const { stage, sources } = open(t);
  await sources.hold("live-a");
  await sources.close();
  t.same(stage.told.slice(2), ["close a.jsonl", "leave a"]);
});
