import t, { type Test } from "tap";
import { openTimeline } from "../../../../src/visualizer/timeline/open_timeline.ts";
import type { EventFilter, Timeline } from "../../../../src/visualizer/timeline/timeline.ts";
import { actor, append, event, story, written } from "./written_recording.ts";

async function opened(t: Test, lines: readonly unknown[] = story): Promise<Timeline> {
  const timeline = await openTimeline(await written(lines));
  t.teardown(() => timeline.close());
  return timeline;
}

/** Types of the rows that fit. */
const types = async (timeline: Timeline, filter: EventFilter) =>
  (await timeline.rows(filter, 0, 99)).map(({ type }) => type);

const reload = "plugin.reload";
const resize = "pool.resize";
const done = "xstate.done.actor.0.plugin.planning";
const note = "harness.note";

t.test("without a filter XState's beginnings and ends are left out, its results and timers are not", async (t) => {
  const timeline = await opened(t);
  t.strictSame(await types(timeline, {}), [reload, resize, done, note]);
  t.strictSame(await types(timeline, { internal: true }), ["xstate.init", reload, resize, done, note]);
  const own = [
    "xstate.init",
    "xstate.stop",
    "xstate.promise.resolve",
    "xstate.after.100.a",
    "xstate.error.actor.b",
  ];
  const other = await opened(t, own.map((type, at) => event(at, "x:0", type)));
  t.strictSame(await types(other, {}), own.slice(3));
});

t.test("types are found by their parts, several at once, and excluded", async (t) => {
  const timeline = await opened(t);
  t.strictSame(await types(timeline, { type: "RELOAD" }), [reload]);
  t.strictSame(await types(timeline, { type: " reload,  harness. " }), [reload, note]);
  t.strictSame(await types(timeline, { type: "plugin -done" }), [reload]);
  t.strictSame(await types(timeline, { type: "-pool,-xstate" }), [reload, note]);
  t.strictSame(
    await types(timeline, { type: " , - " }),
    [reload, resize, done, note],
    "nothing is asked for",
  );
  t.strictSame(await types(timeline, { type: "nowhere" }), []);
});

t.test("actors fit as sender or receiver, with what they started where that is asked for", async (t) => {
  const timeline = await opened(t);
  t.strictSame(await types(timeline, { actors: ["x:2"] }), [resize, done]);
  t.strictSame(await types(timeline, { actors: ["x:1"] }), [reload, resize, done, note]);
  t.strictSame(await types(timeline, { actors: ["x:0"] }), [note]);
  t.strictSame(await types(timeline, { actors: ["x:0"], descendants: true }), [reload, resize, done, note]);
  t.strictSame(await types(timeline, { actors: [] }), [], "none of no actors");
  t.strictSame(await types(timeline, { actors: ["x:99"] }), []);
});

t.test("times are bounds that belong to the span", async (t) => {
  const timeline = await opened(t);
  t.strictSame(await types(timeline, { since: 5, until: 8 }), [resize, done]);
  t.strictSame(await types(timeline, { since: 9 }), [note]);
  t.strictSame(await types(timeline, { since: 9, until: 3 }), []);
});

t.test("text is found anywhere in the line, upper and lower case alike", async (t) => {
  const timeline = await opened(t);
  t.strictSame(await types(timeline, { text: '"SIZE":3' }), [resize]);
  t.strictSame(await types(timeline, { text: "örebro" }), [done]);
  t.strictSame(await types(timeline, { text: "Ö" }), [done]);
  t.strictSame(await types(timeline, { text: 'a "quoted"' }), [note], "as it was said");
  t.strictSame(await types(timeline, { text: 'a \\"quoted\\"' }), [note], "as it stands in the file");
  t.strictSame(await types(timeline, { text: "" }), [reload, resize, done, note]);
  t.strictSame(await types(timeline, { text: "x:", type: "plugin.reload" }), [reload]);
  t.strictSame(await types(timeline, { text: "serving" }), [], "snapshots are no events");
});

t.test("text is not found across lines, nor half in what was left out", async (t) => {
  const timeline = await opened(t, [
    event(1, "x:0", "one", { end: "alpha" }),
    '{"half":"alpha"',
    event(2, "x:0", "two", { end: "alphabet" }),
  ]);
  t.strictSame(await types(timeline, { text: 'alpha"' }), ["one"]);
  t.strictSame(await types(timeline, { text: '}}\n{"' }), []);
});

t.test("rows are given from where they are asked for, and found by position", async (t) => {
  const timeline = await opened(t);
  t.match(await timeline.rows({}, 1, 2), [{ type: resize }, { type: done }]);
  t.strictSame(await timeline.rows({}, 4, 5), []);
  t.match(await timeline.rows({}, -3, 1), [{ type: reload }]);
  t.equal(await timeline.rowIndex({}, 0), 0);
  t.equal(await timeline.rowIndex({}, 6), 0, "the row that ends at this position");
  t.equal(await timeline.rowIndex({}, 7), 1);
  t.equal(await timeline.rowIndex({}, 99), 4);
});

t.test("many filters at once each get their own answer", async (t) => {
  const timeline = await opened(t);
  const counts = await Promise.all(Array.from({ length: 40 }, (_, at) => timeline.count({ until: at })));
  t.strictSame(counts, Array.from({ length: 40 }, (_, at) => at < 4 ? 0 : at === 4 ? 1 : at < 8 ? 2 : 3));
});

t.test("a search that is overtaken by many others ends with that as its reason", async (t) => {
  const filling = "-".repeat(1000);
  const lines = Array.from({ length: 4000 }, (_, at) => event(at, "x:0", "tick", { at, filling }));
  const timeline = await opened(t, lines);
  const texts = Array.from({ length: 12 }, (_, at) => `"at":${3988 + at},`);
  const searches = await Promise.allSettled(texts.map((text) => timeline.count({ text })));
  const answered = searches.filter(({ status }) => status === "fulfilled").length;
  t.ok(answered >= 8 && answered < 12, `${answered} of 12 are answered`);
  t.match(searches[0], { status: "rejected", reason: { code: "INTERRUPTED" } }, "the first one is not");
  t.strictSame(searches.at(-1), { status: "fulfilled", value: 1 }, "the last one is");
  t.equal(await timeline.count({ text: texts[0]! }), 1, "it may be asked for again");
});

t.test("a search that is asked for again while a later one is under way is answered, as is that one", async (t) => {
  const filling = "-".repeat(1000);
  const lines = Array.from({ length: 4000 }, (_, at) => event(at, "x:0", "tick", { at, filling }));
  const timeline = await opened(t, lines);
  const first = timeline.count({ text: '"at":3999,' });
  const second = timeline.count({ text: '"at":3998,' });
  await new Promise((resolve) => setImmediate(resolve));
  const again = timeline.count({ text: '"at":3999,' });
  t.strictSame(await Promise.all([first, second, again]), [1, 1, 1]);
});

t.test("what was found is added to while the recording grows", async (t) => {
  const path = await written([actor(0, "x:0", "x:0")]);
  const timeline = await openTimeline(path, { ended: new Promise(() => {}) });
  t.teardown(() => timeline.close());
  const filters: EventFilter[] = [{}, { text: "needle" }, { type: "tick" }, {
    actors: ["x:0"],
    descendants: true,
  }];
  for (let round = 1; round <= 3; round++) {
    await append(path, [
      actor(round, `x:${round}`, "child", { parent: "x:0" }),
      event(round, `x:${round}`, "tick", { is: "a needle" }),
    ]);
    // It may have been read while it was written.
    if (timeline.length < 1 + 2 * round) {
      await new Promise<void>((resolve) => {
        const stop = timeline.follow(({ length }) => {
          if (length === 1 + 2 * round) stop(), resolve();
        }, 0);
      });
    }
    t.strictSame(
      await Promise.all(filters.map((filter) => timeline.count(filter))),
      filters.map(() => round),
    );
  }
});
