import { appendFile, readFile, rename, writeFile } from "node:fs/promises";
import { Buffer } from "node:buffer";
import t, { type Test } from "tap";
import { openTimeline } from "../../../../src/visualizer/timeline/open_timeline.ts";
import type { EventFilter, Timeline } from "../../../../src/visualizer/timeline/timeline.ts";
import { NaiveRecording } from "./naive_recording.ts";
import { actors, pick, type Random, randomFrom, randomLine, thinned } from "./random_recording.ts";
import { header, newPath } from "./written_recording.ts";

const textOf = (lines: readonly string[], end = "\n"): string =>
  [JSON.stringify(header), ...lines].map((line) => `${line}${end}`).join("");

const randomLines = (random: Random, count: number): string[] =>
  Array.from({ length: count }, (_, at) => randomLine(random, at + random(3) - 1 + random(1000) / 1000));

function randomFilter(random: Random, duration: number): EventFilter {
  const maybe = <Key extends keyof EventFilter>(key: Key, value: () => EventFilter[Key]) =>
    random(3) === 0 ? { [key]: value() } : {};
  return {
    ...maybe("actors", () => [pick(random, actors), pick(random, actors)]),
    ...maybe("descendants", () => true),
    ...maybe("type", () => `${pick(random, ["a", "XSTATE", "ü", "-b", "plugin, call"])}`),
    ...maybe("text", () => pick(random, ["hello 4", "ÄÖ", "broke", "e", "nowhere"])),
    ...maybe("since", () => random(duration)),
    ...maybe("until", () => random(duration)),
    ...maybe("internal", () => true),
  };
}

/** All that the timeline answers, against who looks through every line. */
async function compare(t: Test, timeline: Timeline, file: string, random: Random): Promise<void> {
  const naive = new NaiveRecording(file);
  t.equal(timeline.length, naive.lines.length, "as many lines");
  for (let round = 0; round < 8; round++) {
    const filter = round === 0 ? { internal: true } : randomFilter(random, timeline.duration);
    const rows = await timeline.rows(filter, 0, timeline.length);
    const positions = naive.positions(filter);
    t.strictSame(rows.map(({ position }) => position), positions, `rows of ${JSON.stringify(filter)}`);
    t.equal(await timeline.count(filter), positions.length);
    const position = random(timeline.length + 1);
    const first = positions.findIndex((one) => one >= position);
    t.equal(await timeline.rowIndex(filter, position), first === -1 ? positions.length : first);
    if (round > 0) continue;
    const told = rows.map(({ position, at, type, target, source }) => ({
      position,
      at,
      type,
      target: target.actor,
      source: source?.actor,
    }));
    t.strictSame(
      told,
      positions.map((one) => {
        const { event: _event, ...row } = naive.row(one);
        return row;
      }),
    );
    const some = pick(random, rows);
    t.strictSame((await timeline.row(some.position)).event, naive.row(some.position).event);
  }
  for (let round = 0; round < 8; round++) {
    const position = round === 0 ? timeline.length : random(timeline.length + 1);
    const expected = naive.actors(position);
    const living = await timeline.actors(position);
    t.match(living.map(({ actor }) => actor), expected.map(({ actor }) => actor));
    t.strictSame(
      living.map(({ actor, id, parent, value, status, startedAt, heard, children }) => ({
        actor,
        id,
        parent,
        value,
        status,
        startedAt,
        heard,
        children,
      })),
      expected,
      `actors at ${position}`,
    );
    for (const { actor } of living) {
      const { context, explanation } = await timeline.actor(actor, position);
      t.strictSame(context, naive.context(actor, position), `context of ${actor} at ${position}`);
      t.ok(explanation.summary.length > 0);
    }
  }
}

async function opened(t: Test, path: string, ended?: Promise<void>): Promise<Timeline> {
  const timeline = await openTimeline(path, ended === undefined ? {} : { ended });
  t.teardown(() => timeline.close());
  return timeline;
}

for (const seed of [1, 2, 3, 5]) {
  t.test(`whatever the lines are, all questions are answered as by who parses every line (${seed})`, async (t) => {
    const random = randomFrom(seed);
    const path = await newPath();
    const file = textOf(randomLines(random, 200), seed % 2 === 0 ? "\r\n" : "\n");
    // Cut at its end, most often within a line.
    await writeFile(path, file.slice(0, file.length - random(30)));
    await compare(t, await opened(t, path), await readFile(path, "utf8"), random);
  });
}

/** Resolves when so many lines are read; rejects when reading ends before. */
function until(timeline: Timeline, length: number): Promise<void> {
  if (timeline.length >= length) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = timeline.follow((growth) => {
      if (!growth.growing) {
        reject(new Error(`Read ${growth.length} of ${length} lines: ${timeline.problems}`));
      }
      if (growth.length < length) return;
      stop();
      resolve();
    }, 0);
  });
}

t.test("a recording that grows in any pieces, and is thinned meanwhile, is read as who reads it afterwards", async (t) => {
  const random = randomFrom(7);
  const path = await newPath();
  const long = JSON.stringify({
    at: 1,
    type: "event",
    actor: "x:0",
    event: { type: "long", text: "ü".repeat(700_000) },
  });
  let lines = [long, ...randomLines(random, 400)];
  // A line that is none would be another one after thinning.
  lines = lines.filter((line) => line.startsWith("{") && line.endsWith("}"));
  let whole = Buffer.from(textOf(lines));
  await writeFile(path, whole.subarray(0, 30));
  let end = () => {};
  const opening = openTimeline(path, { ended: new Promise<void>((resolve) => end = resolve) });
  let at = 30;
  const append = async (bytes: number) => {
    await appendFile(path, whole.subarray(at, at + bytes));
    at = Math.min(whole.length, at + bytes);
  };
  t.teardown(() => end());
  await append(100);
  const timeline = await opening;
  t.teardown(() => timeline.close());
  const filters = Array.from({ length: 6 }, () => randomFilter(random, 400));
  while (at < whole.length) {
    await append(at < 1_400_000 ? 500_000 : random(20_000));
    if (random(3) > 0) continue;
    const there =
      new NaiveRecording(whole.toString("utf8", 0, whole.lastIndexOf(10, at - 1) + 1)).lines.length;
    await until(timeline, there);
    for (const filter of filters) await timeline.count(filter);
    await timeline.trouble();
    if (random(3) > 0) continue;
    const done = whole.subarray(0, at).toString().split("\n").length - 2;
    const before = lines.slice(0, done);
    lines = [...before.map((line) => random(2) === 0 ? thinned(line) : line), ...lines.slice(done)];
    const rest = whole.subarray(whole.lastIndexOf(10, at - 1) + 1, at);
    whole = Buffer.from(textOf(lines));
    const beside = Buffer.concat([Buffer.from(textOf(lines.slice(0, done))), rest]);
    await writeFile(`${path}.thinning`, beside);
    await rename(`${path}.thinning`, path);
    at = beside.length;
  }
  const file = whole.toString();
  await until(timeline, new NaiveRecording(file).lines.length);
  end();
  await compare(t, timeline, file, random);
  const afterwards = await opened(t, path);
  t.strictSame(await timeline.trouble(), await afterwards.trouble());
  t.strictSame(timeline.problems, afterwards.problems);
  for (const filter of filters) {
    t.strictSame(await timeline.rows(filter, 0, 999), await afterwards.rows(filter, 0, 999));
  }
});
