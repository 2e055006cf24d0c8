// test: own-process (what the page began goes on until the process ends)
import t from "tap";
import { setTimeout as sleep } from "node:timers/promises";
import { startLoading } from "../../../../src/visualizer/page/start_loading.ts";
import { openSource } from "../../../../src/visualizer/page/navigate.ts";
import * as state from "../../../../src/visualizer/page/state.ts";
import { overviewOf } from "./overview.ts";

/** A stream that never opens: nothing is tried again once the test is over. */
class SilentStream {
  static readonly OPEN = 1;
  readonly readyState = 0;
  addEventListener() {}
  close() {}
}

const known = ["live-b", "live-a"].map((id) => ({ ...overviewOf().source, id, kind: "live" as const }));

/** What a server with these sources answers. */
function answerTo(path: string): unknown {
  if (path === "api/sources") return known;
  const source = known.find(({ id }) => path === `api/sources/${id}`);
  if (source !== undefined) return overviewOf({ source: { ...source, detail: "seen" } });
  return path.includes("/actors/") ? {} : [];
}

t.test("a source that is opened is shown at once, and those that one chooses from stay in their order", async (t) => {
  const asked: string[] = [];
  // Not taken back: what the page began goes on until the process ends.
  Object.assign(globalThis, {
    EventSource: SilentStream,
    setInterval: () => 0,
    fetch: (path: string) => {
      asked.push(path);
      return Promise.resolve(Response.json(answerTo(path)));
    },
  });
  openSource("live-b");
  startLoading();
  await sleep(50);
  t.equal(state.recordingOverview.value?.source.id, "live-b");
  openSource("live-a");
  await sleep(50);
  t.equal(state.recordingOverview.value?.source.id, "live-a", "not after the pause between two questions");
  t.same(state.viewerSources.value.map(({ id, detail }) => `${id} ${detail}`), [
    "live-b seen",
    "live-a seen",
  ]);
  t.same(asked.filter((path) => known.some(({ id }) => path === `api/sources/${id}`)), [
    "api/sources/live-b",
    "api/sources/live-a",
  ]);
});
