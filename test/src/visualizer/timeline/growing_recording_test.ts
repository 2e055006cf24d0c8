import { appendFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import t, { type Test } from "tap";
import { openTimeline } from "../../../../src/visualizer/timeline/open_timeline.ts";
import type { Growth, Timeline } from "../../../../src/visualizer/timeline/timeline.ts";
import {
  actor,
  append,
  event,
  header,
  newPath,
  snapshot,
  story,
  text,
  written,
} from "./written_recording.ts";

/** A recording that grows until `end` is called. */
async function growing(t: Test, path: string) {
  let end = () => {};
  const ended = new Promise<void>((resolve) => end = resolve);
  const timeline = await openTimeline(path, { ended });
  t.teardown(() => timeline.close());
  return { timeline, end };
}

/** What is told when this holds; fails by the time limit of the file. */
function until(timeline: Timeline, holds: () => boolean): Promise<Growth[]> {
  const told: Growth[] = [];
  if (holds()) return Promise.resolve(told);
  return new Promise((resolve) => {
    const stop = timeline.follow((growth) => {
      told.push(growth);
      if (!holds()) return;
      stop();
      resolve(told);
    }, 0);
  });
}

t.test("a recording grows while it is open, and ends", async (t) => {
  const path = await written(story.slice(0, 3));
  const { timeline, end } = await growing(t, path);
  t.match(timeline, { length: 3, growing: true });
  t.equal(await timeline.count({}), 0);
  await append(path, story.slice(3));
  await until(timeline, () => timeline.length === story.length);
  t.equal(await timeline.count({}), 4, "what was counted is added to");
  end();
  await until(timeline, () => !timeline.growing);
  t.match(timeline, { length: story.length, problems: [] });
});

t.test("what is written in the same moment as the end is read, too", async (t) => {
  const path = await written(story.slice(0, 3));
  const { timeline, end } = await growing(t, path);
  await append(path, story.slice(3));
  end();
  await until(timeline, () => !timeline.growing);
  t.equal(timeline.length, story.length);
});

t.test("a line that is half written is waited for", async (t) => {
  const path = await written(story.slice(0, 3));
  const { timeline, end } = await growing(t, path);
  const line = text([event(5, "x:0", "halves", { of: "ü" })]);
  await appendFile(path, line.slice(0, 40));
  await append(path, []);
  await new Promise((resolve) => setTimeout(resolve, 120));
  t.match(timeline, { length: 3, problems: [] });
  await appendFile(path, line.slice(40));
  await until(timeline, () => timeline.length === 4);
  t.match(await timeline.row(4), { event: { of: "ü" } });
  end();
});

t.test("a process that dies within a line leaves everything before it", async (t) => {
  const path = await written(story.slice(0, 5));
  const { timeline, end } = await growing(t, path);
  await appendFile(path, '{"at":9,"type":"ev');
  end();
  await until(timeline, () => !timeline.growing);
  t.match(timeline, { length: 5, problems: [/cut off/] });
});

t.test("a header that is not there yet is waited for", async (t) => {
  const path = await newPath();
  await writeFile(path, '{"format":"pth-rec');
  const opening = growing(t, path);
  await new Promise((resolve) => setTimeout(resolve, 80));
  await writeFile(path, text([header, ...story]));
  const { timeline, end } = await opening;
  await until(timeline, () => timeline.length === story.length);
  t.match(timeline.header, header);
  end();
});

t.test("a process that dies before the header is told as such", async (t) => {
  const path = await newPath();
  await writeFile(path, "");
  await t.rejects(openTimeline(path, { ended: Promise.reject(new Error("gone")) }), {
    code: "INVALID_INPUT",
    message: /it is empty/,
  });
});

/** A story with contexts, and as the recorder leaves it when it has dropped the old ones. */
const long = Array.from({ length: 300 }, (_, at) => [
  event(at, "x:0", "tick", { at }),
  snapshot(at, "x:0", "on", { taken: ["harness.on|tick|0"], context: { at, filling: "-".repeat(100) } }),
]).flat();
const thinned = long.map((line) => {
  if (!("context" in line)) return line;
  const { context: _dropped, ...rest } = line;
  return { ...rest, thinned: true };
});

t.test("a file that is replaced by its thinned self is read on, positions staying", async (t) => {
  const path = await written([actor(0, "x:0", "x:0", { machine: "harness" }), ...long]);
  const { timeline, end } = await growing(t, path);
  const before = await timeline.rows({}, 0, 999);
  t.match(await timeline.actor("x:0", 601), { context: { at: 299 } });
  const beside = await written([actor(0, "x:0", "x:0", { machine: "harness" }), ...thinned]);
  await append(beside, [event(1000, "x:0", "new")]);
  await rename(beside, path);
  await until(timeline, () => timeline.length === 602);
  t.strictSame(await timeline.rows({}, 0, 300), before, "the rows are read from the new file");
  t.notOk("context" in await timeline.actor("x:0", 601), "contexts are known to be gone");
  await append(path, [event(1001, "x:0", "newer")]);
  await until(timeline, () => timeline.length === 603);
  t.match(await timeline.row(603), { type: "newer" });
  end();
  await until(timeline, () => !timeline.growing);
  t.strictSame(timeline.problems, []);
});

t.test("a file that another recording replaces stays readable as it was, and says so", async (t) => {
  const path = await written(story);
  const { timeline } = await growing(t, path);
  const other = await written([...story.slice(0, 3), event(3, "x:0", "other")]);
  await rename(other, path);
  await until(timeline, () => !timeline.growing);
  t.match(timeline.problems, [/replaced by another recording/]);
  t.match(await timeline.row(6), { type: "plugin.reload" });
});

t.test("a file that is begun anew is told", async (t) => {
  const path = await written(story);
  const { timeline } = await growing(t, path);
  await truncate(path, 20);
  await until(timeline, () => !timeline.growing);
  t.match(timeline.problems, [/truncated by another program/]);
  t.equal(timeline.length, story.length);
});

t.test("a file that is deleted stays readable while it is open", async (t) => {
  const path = await written(story);
  const { timeline, end } = await growing(t, path);
  await rm(path);
  end();
  await until(timeline, () => !timeline.growing);
  t.match(await timeline.row(6), { type: "plugin.reload" });
  t.strictSame(timeline.problems, []);
});

t.test("a timeline that is closed while the recording grows tells nothing more", async (t) => {
  const path = await written(story);
  const timeline = await openTimeline(path, { ended: new Promise(() => {}) });
  timeline.follow(() => t.fail("was told"), 0);
  await timeline.close();
  await append(path, story);
  await new Promise((resolve) => setTimeout(resolve, 120));
  t.equal(timeline.length, story.length);
});

t.test("what waits to be told when a timeline is closed is not told any more", async (t) => {
  const path = await written(story);
  const timeline = await openTimeline(path, { ended: new Promise(() => {}) });
  let closed = false;
  const afterwards: number[] = [];
  timeline.follow(({ length }) => closed && afterwards.push(length), 150);
  for (const length of [story.length + 1, story.length + 2]) {
    await append(path, [event(2000, "x:0", "more")]);
    await until(timeline, () => timeline.length === length);
  }
  closed = true;
  await timeline.close();
  await new Promise((resolve) => setTimeout(resolve, 200));
  t.strictSame(afterwards, []);
});

t.test("who follows is told all transitions, the last state of each actor, and how many events there were", async (t) => {
  const path = await written([actor(0, "x:0", "x:0", { machine: "harness" })]);
  const { timeline, end } = await growing(t, path);
  const told: Growth[] = [];
  const whole = new Promise<void>((resolve) => {
    timeline.follow((growth) => {
      told.push(growth);
      if (!growth.growing) resolve();
    }, 30);
  });
  const steps = 400;
  for (let at = 0; at < steps; at += 20) {
    const lines = Array.from({ length: 20 }, (_, step) => [
      event(at + step, "x:0", "tick"),
      event(at + step, "x:0", "xstate.init"),
      snapshot(at + step, "x:0", `at${at + step}`, { taken: [`harness.on|tick|${at + step}`] }),
    ]).flat();
    await append(path, lines);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  end();
  await whole;
  const taken = told.flatMap(({ moved }) => moved.flatMap((each) => each.taken));
  t.strictSame(taken, Array.from({ length: steps }, (_, at) => `harness.on|tick|${at}`));
  t.equal(told.reduce((sum, { events }) => sum + events, 0), steps, "XState's own beginnings do not count");
  t.match(told.at(-1), { length: 1 + 3 * steps, growing: false });
  const lastMove = told.filter(({ moved }) => moved.length > 0).at(-1)?.moved;
  t.match(lastMove, [{ value: `at${steps - 1}` }]);
  t.ok(told.length < steps / 20, `told in batches: ${told.length}`);
});

t.test("who follows is told what comes, and where actors are that moved", async (t) => {
  const path = await written(story);
  const { timeline, end } = await growing(t, path);
  const grows = async (line: object) => {
    const length = timeline.length + 1;
    const told = until(timeline, () => timeline.length === length);
    await append(path, [line]);
    return (await told).at(-1);
  };
  t.match(await grows(event(1001, "x:0", "a")), { events: 1, moved: [] });
  const ends = await grows({ at: 1003, type: "snapshot", actor: "x:9", status: "error", error: "no" });
  t.strictSame(ends?.moved, [{ actor: "x:9", status: "error", taken: [] }]);
  end();
});

t.test("in a living session time goes on at its end, not in its past", async (t) => {
  const path = await written([
    actor(0, "x:0", "x:0", { machine: "harness" }),
    event(1, "x:0", "xstate.init"),
  ]);
  await append(path, [snapshot(2, "x:0", "dormant", { context: {} }), event(3000, "x:0", "a")]);
  const now = () => Date.parse(header.startedAt) + 63_000;
  const timeline = await openTimeline(path, { ended: new Promise(() => {}), now });
  t.teardown(() => timeline.close());
  t.match((await timeline.actor("x:0", 4)).explanation.summary, /63(\.0)? s|1 min/);
  t.notMatch((await timeline.actor("x:0", 3)).explanation.summary, /63|min/);
});
