import t from "tap";
import { setTimeout as sleep } from "node:timers/promises";
import { connectFeed } from "../../../../src/visualizer/page/connect_feed.ts";
import * as state from "../../../../src/visualizer/page/state.ts";
import { row } from "./actor_row.ts";
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
  state.feedStatus.value = "connecting";
  t.intercept(globalThis, "EventSource" as never, { value: BrokenStream as never });
});

/** It asks half a second after the stream broke; a busy machine takes its time. */
async function until(comes: () => boolean): Promise<void> {
  for (let tries = 0; !comes() && tries < 1000; tries++) await sleep(20);
}

const needs = () => {
  const asked = { refreshed: 0 };
  return { asked, needs: { refresh: () => void asked.refreshed++, sourcesAgain: () => {} } };
};

t.test("a source that is not there is not asked for again and again, and the viewer is not said to be gone", async (t) => {
  const { source } = overviewOf();
  t.intercept(globalThis, "fetch", { value: () => Promise.resolve(Response.json([source])) });
  const { asked, needs: parts } = needs();
  t.teardown(connectFeed("live-nope", parts));
  await until(() => asked.refreshed === 2);
  t.equal(BrokenStream.opened.length, 1);
  t.equal(state.feedStatus.value, "open");
  t.same(state.viewerSources.value, [source], "others can be chosen");
  t.equal(asked.refreshed, 2, "and the overview says what is wrong");
});

t.test("what was taken before its user went back is not lit once the end is followed again", (t) => {
  const listeners = new Map<string, (event: { data: string }) => void>();
  class Stream extends BrokenStream {
    override onerror = () => {};
    override addEventListener(name?: string, listener?: (event: { data: string }) => void) {
      if (name !== undefined && listener !== undefined) listeners.set(name, listener);
    }
  }
  t.intercept(globalThis, "EventSource" as never, { value: Stream as never });
  const grown = (taken: string) =>
    listeners.get("growth")?.({
      data: JSON.stringify({
        length: 1,
        duration: 1,
        events: 1,
        growing: true,
        moved: [{ actor: "x:0", status: "active", taken: [taken] }],
      }),
    });
  state.actorRows.value = [row("x:0", { machine: "session" })];
  t.teardown(() => void (state.timelinePosition.value = undefined));
  t.teardown(connectFeed("recording", needs().needs));

  grown("session|a|0");
  t.same(state.takenTransitions.value.get("x:0"), ["session|a|0"]);
  state.timelinePosition.value = 1;
  grown("session|b|0");
  state.timelinePosition.value = undefined;
  t.equal(state.takenTransitions.value.get("x:0"), undefined);
  t.end();
});

t.test("a stream that breaks is opened again while the viewer has the source", async (t) => {
  const { source } = overviewOf();
  t.intercept(globalThis, "fetch", { value: () => Promise.resolve(Response.json([source])) });
  t.teardown(connectFeed("recording", needs().needs));
  await until(() => BrokenStream.opened.length === 2);
  t.equal(BrokenStream.opened.length, 2);
});

t.test("a viewer that does not answer is told to be gone", async (t) => {
  t.intercept(globalThis, "fetch", { value: () => Promise.reject(new TypeError("failed to fetch")) });
  t.teardown(connectFeed("recording", needs().needs));
  await until(() => state.feedStatus.value === "lost");
  t.equal(state.feedStatus.value, "lost");
  t.equal(BrokenStream.opened.length, 1);
});
