import t from "tap";
import { setTimeout as sleep } from "node:timers/promises";
import { connectFeed } from "../../../../src/visualizer/page/feed.ts";
import * as state from "../../../../src/visualizer/page/state.ts";
import { overviewOf } from "./overview.ts";

/** Streams that break as soon as they are opened. */
class BrokenStream {
  static readonly OPEN = 1;
  static opened: BrokenStream[] = [];
  onerror = () => {};
  onopen = () => {};
  readyState = 2;
  constructor() {
    BrokenStream.opened.push(this);
    setTimeout(() => this.onerror(), 0);
  }
  addEventListener() {}
  close() {}
}

t.beforeEach((t) => {
  BrokenStream.opened = [];
  state.connection.value = "connecting";
  t.intercept(globalThis, "EventSource" as never, { value: BrokenStream as never });
});

/** Until it asked why the stream broke, and had the time to open another. */
const aTry = 900;
const needs = () => {
  const asked = { refreshed: 0 };
  return { asked, needs: { refresh: () => void asked.refreshed++, sourcesAgain: () => {} } };
};

t.test("a source that is not there is not asked for again and again, and the viewer is not said to be gone", async (t) => {
  const { source } = overviewOf();
  t.intercept(globalThis, "fetch", { value: () => Promise.resolve(Response.json([source])) });
  const { asked, needs: parts } = needs();
  t.teardown(connectFeed("live-nope", parts));
  await sleep(aTry);
  t.equal(BrokenStream.opened.length, 1);
  t.equal(state.connection.value, "open");
  t.same(state.sources.value, [source], "others can be chosen");
  t.equal(asked.refreshed, 2, "and the overview says what is wrong");
});

t.test("a stream that breaks is opened again while the viewer has the source", async (t) => {
  const { source } = overviewOf();
  t.intercept(globalThis, "fetch", { value: () => Promise.resolve(Response.json([source])) });
  t.teardown(connectFeed("recording", needs().needs));
  await sleep(aTry);
  t.equal(BrokenStream.opened.length, 2);
});

t.test("a viewer that does not answer is told to be gone", async (t) => {
  t.intercept(globalThis, "fetch", { value: () => Promise.reject(new TypeError("failed to fetch")) });
  t.teardown(connectFeed("recording", needs().needs));
  await sleep(aTry);
  t.equal(state.connection.value, "lost");
  t.equal(BrokenStream.opened.length, 1);
});
