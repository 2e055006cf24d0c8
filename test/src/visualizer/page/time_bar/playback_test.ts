import t from "tap";
import { setTimeout as sleep } from "node:timers/promises";
import { isPlaying, togglePlayback } from "../../../../../src/visualizer/page/time_bar/playback.ts";
import * as state from "../../../../../src/visualizer/page/state.ts";
import { seekTo } from "../../../../../src/visualizer/page/navigate.ts";
import { overviewOf } from "../overview.ts";

t.test("play, pressed twice again before anything is answered, plays once", async (t) => {
  const answers: (() => void)[] = [];
  t.intercept(globalThis, "fetch", {
    value: () =>
      new Promise<Response>((resolve) => {
        answers.push(() => resolve(Response.json({ position: answers.length, at: 0 })));
      }),
  });
  state.sourceId.value = "recording";
  state.recordingOverview.value = overviewOf({ length: 1000, duration: 60_000 });
  t.teardown(() => void (isPlaying.value = false));

  togglePlayback();
  togglePlayback();
  togglePlayback();
  t.equal(isPlaying.value, true);
  t.equal(answers.length, 2, "the one that was stopped has asked, too");
  answers.forEach((answer) => answer());
  await sleep(200);
  t.equal(answers.length, 3, "only one goes on");
  togglePlayback();
  t.equal(isPlaying.value, false);
});

t.test("who goes elsewhere between two moments of playing is not taken back", async (t) => {
  const asked: number[] = [];
  t.intercept(globalThis, "fetch", {
    value: (path: string) => {
      const ms = Number(new URL(path, "http://page").searchParams.get("ms"));
      asked.push(ms);
      return Promise.resolve(Response.json({ position: Math.round(ms), at: ms }));
    },
  });
  state.sourceId.value = "recording";
  state.recordingOverview.value = overviewOf({ length: 1000, duration: 60_000 });
  t.teardown(() => void (isPlaying.value = false));

  seekTo(1, 1);
  togglePlayback();
  await sleep(20);
  t.same(asked, [1]);
  seekTo(500, 30_000);
  await sleep(200);
  t.equal(asked[1], 101, "it is found out with the next answer");
  t.ok(asked.slice(2).every((ms) => ms >= 30_000), `then on from there: ${asked}`);
  t.ok(state.shownMs.value >= 30_000);
});
