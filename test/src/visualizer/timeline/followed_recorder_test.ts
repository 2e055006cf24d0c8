import { stat } from "node:fs/promises";
import { setTimeout as later } from "node:timers/promises";
import t from "tap";
import { assign, createActor, createMachine } from "xstate";
import { createRecorder } from "../../../../src/visualizer/recording/recorder.ts";
import { openTimeline } from "../../../../src/visualizer/timeline/open_timeline.ts";
import { newPath } from "./written_recording.ts";

const counter = createMachine({
  id: "counter",
  context: { count: 0, filling: "" },
  initial: "counting",
  states: {
    counting: {
      on: {
        tick: {
          actions: assign({ count: ({ context }) => context.count + 1, filling: () => "-".repeat(500) }),
        },
      },
    },
  },
});

t.test("a recorder that thins its file is followed without losing an event or a transition", async (t) => {
  const path = await newPath();
  const recorder = createRecorder({ redact: (text) => text, remember: 10, about: () => ({ pth: "1.0.0" }) });
  const actor = createActor(counter, { inspect: (event) => recorder.inspect(event) });
  actor.start();
  const writing = await recorder.writeTo(path, { contexts: 20_000 });
  const timeline = await openTimeline(path, { ended: writing.ended });
  t.teardown(() => timeline.close());
  const told = { events: 0, taken: 0 };
  const over = new Promise<void>((resolve) => {
    timeline.follow(({ events, moved, growing }) => {
      told.events += events;
      for (const { taken } of moved) told.taken += taken.length;
      if (!growing) resolve();
    }, 0);
  });
  const ticks = 3000;
  for (let at = 1; at <= ticks; at++) {
    actor.send({ type: "tick" });
    if (at % 100 === 0) await later(10);
  }
  await recorder.close();
  await over;
  t.ok((await stat(path)).size < ticks * 500, "contexts were dropped: the file was replaced meanwhile");
  t.strictSame(timeline.problems, []);
  t.strictSame(told, { events: ticks, taken: ticks });
  t.equal(await timeline.count({ type: "tick" }), ticks);
  const whole = await openTimeline(path);
  t.teardown(() => whole.close());
  t.equal(whole.length, timeline.length);
  const middle = Math.floor(whole.length / 2);
  t.strictSame(await timeline.rows({}, 0, 100), await whole.rows({}, 0, 100));
  t.strictSame(await timeline.actor(actor.sessionId, middle), await whole.actor(actor.sessionId, middle));
  t.match(
    await timeline.actor(actor.sessionId, timeline.length),
    { context: { count: ticks } },
    "the newest context stays",
  );
});
