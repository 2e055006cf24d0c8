/** A recording of a million events: opening it, going to any moment of it, looking for something; and following a living one. */
import { openTimeline } from "../../src/visualizer/timeline/open_timeline.ts";
import type { Timeline } from "../../src/visualizer/timeline/timeline.ts";
import { median, type Row, time } from "./table.ts";

const events = 1_000_000;
const moments = 200;
const perSecond = 5000;
const seconds = 3;

export async function measureViz(): Promise<Row[]> {
  const folder = await Deno.makeTempDir({ prefix: "pth-bench-viz-" });
  try {
    const path = `${folder}/long.jsonl`;
    const lines = await writeElsewhere(path);
    return [
      ...await measureOpening(path, lines),
      ...await measureLooking(path),
      ...await measureFollowing(`${folder}/growing.jsonl`),
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** In a process of its own: what that leaves in memory is none of the viewer's. */
async function writeElsewhere(path: string): Promise<number> {
  const script = new URL("./long_recording.ts", import.meta.url).pathname;
  const args = ["run", "-A", script, path, String(events)];
  const { success, stdout } = await new Deno.Command(Deno.execPath(), { args, stderr: "inherit" }).output();
  if (!success) throw new Error("no recording was written");
  return Number(new TextDecoder().decode(stdout));
}

async function measureOpening(path: string, lines: number): Promise<Row[]> {
  const before = memoryInMB();
  const { longest, stop } = watchLoop();
  let timeline: Timeline | undefined;
  const opened = await timeOnce(async () => timeline = await openTimeline(path));
  stop();
  const memory = memoryInMB() - before;
  if (timeline?.length !== lines) throw new Error(`${timeline?.length} of ${lines} lines were read`);
  await timeline.close();
  const counted = await time(3, () => run("wc", ["-l", path]));
  const parsed = await timeOnce(() => parseAll(path));
  const megabytes = Math.round((await Deno.stat(path)).size / 1e6);
  const what = `${lines} lines, ${megabytes} MB`;
  return [
    {
      what: `opening ${what}`,
      value: opened,
      unit: "ms",
      plain: { tool: "wc -l", value: counted },
      target: "< 3000 ms",
    },
    {
      what: "the same",
      value: opened,
      unit: "ms",
      plain: { tool: "JSON.parse of each line", value: parsed },
    },
    {
      what: "longest that nothing else had its turn meanwhile",
      value: longest(),
      unit: "ms",
      target: "< 50 ms",
    },
    {
      what: "memory for the index",
      value: memory,
      unit: "MB",
      plain: { tool: "the file", value: megabytes },
    },
  ];
}

async function measureLooking(path: string): Promise<Row[]> {
  const timeline = await openTimeline(path);
  try {
    const places = Array.from(
      { length: moments },
      (_, at) => timeline.duration * (((at + 1) * 0.618034) % 1),
    );
    // As the page asks: with those that ended in the 10 s before, the last 20 of each.
    const lately = { ended: 10_000, endedOfEach: 20 };
    const scrub = await each(places, (ms) => timeline.actors(timeline.positionAt(ms), lately));
    // Each time another one: those that live as long as the session have heard the most.
    const explain = await each(places, async (ms, place) => {
      const position = timeline.positionAt(ms);
      const rows = await timeline.actors(position);
      await timeline.actor(rows[place % Math.min(12, rows.length)]!.actor, position);
    });
    const count = await timeOnce(() => timeline.count({}));
    const page = await each(places, async (ms) => {
      await timeline.rows({}, await timeline.rowIndex({}, timeline.positionAt(ms)), 100);
    });
    const found = await timeOnce(() => timeline.count({ text: "HELLO 499" }));
    const plain = await time(1, () => run("grep", ["-ciF", "hello 499", path]));
    const trouble = await timeOnce(() => timeline.trouble());
    return [
      { what: "scrubbing to any moment: who lives, and where", ...scrub.median, target: "< 100 ms" },
      { what: `the slowest of ${moments}`, ...scrub.slowest, target: "< 100 ms" },
      { what: "explaining one actor there", ...explain.median, target: "< 100 ms" },
      { what: "the slowest of these", ...explain.slowest, target: "< 100 ms" },
      { what: "filtering all events", value: count, unit: "ms" },
      { what: "100 rows from any moment on", ...page.median, target: "< 100 ms" },
      {
        what: "searching all for a text",
        value: found,
        unit: "ms",
        plain: { tool: "grep -ciF", value: plain },
      },
      { what: "all that went wrong", value: trouble, unit: "ms" },
    ];
  } finally {
    await timeline.close();
  }
}

/** A file that grows by 5,000 events a second, each with its snapshot; fails when one of them is not told. */
async function measureFollowing(path: string): Promise<Row[]> {
  const header = { format: "pth-recording/2", startedAt: new Date().toISOString(), pth: "bench" };
  await Deno.writeTextFile(path, `${JSON.stringify(header)}\n`);
  let end = () => {};
  const timeline = await openTimeline(path, { ended: new Promise<void>((resolve) => end = resolve) });
  const told = { events: 0, taken: 0 };
  const over = new Promise<void>((resolve) => {
    timeline.follow((growth) => {
      told.events += growth.events;
      told.taken += growth.moved.reduce((sum, { taken }) => sum + taken.length, 0);
      if (!growth.growing) resolve();
    }, 50);
  });
  const { longest, stop } = watchLoop();
  const written = await writeEvents(path);
  end();
  await over;
  stop();
  await timeline.close();
  if (told.events !== written || told.taken !== written) {
    throw new Error(`${told.events} events and ${told.taken} transitions of ${written} were told`);
  }
  return [{
    what: `following ${perSecond} events a second, none lost: longest without a turn`,
    value: longest(),
    unit: "ms",
    target: "< 50 ms",
  }];
}

async function writeEvents(path: string): Promise<number> {
  const file = await Deno.open(path, { append: true });
  const encoder = new TextEncoder();
  const began = performance.now();
  let written = 0;
  while (written < perSecond * seconds) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    const due = Math.min(perSecond * seconds, Math.floor((performance.now() - began) / 1000 * perSecond));
    let text = "";
    for (; written < due; written++) text += linesOf(written);
    await file.write(encoder.encode(text));
  }
  file.close();
  return written;
}

const linesOf = (at: number): string =>
  `{"at":${at / 5},"type":"event","actor":"x:${
    at % 50
  }","event":{"type":"call.progressed","progress":${at}}}\n` +
  `{"at":${at / 5},"type":"snapshot","actor":"x:${at % 50}","value":{"open":"calling"},"status":"active",` +
  `"taken":["connection.open.calling|call.progressed|0"],"context":{"progress":${at}}}\n`;

/** The plainest reader: each line by itself, parsed. */
async function parseAll(path: string): Promise<void> {
  const file = await Deno.open(path);
  let rest = "";
  for await (const chunk of file.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    for (const line of lines) JSON.parse(line);
  }
}

/** Its output is taken: grep ends at the first hit where nobody listens. */
async function run(command: string, args: string[]): Promise<void> {
  await new Deno.Command(command, { args, stdout: "piped", stderr: "null" }).output();
}

async function timeOnce(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

type Reading = Pick<Row, "value" | "unit">;

async function each(
  places: readonly number[],
  work: (ms: number, place: number) => Promise<unknown>,
): Promise<{ median: Reading; slowest: Reading }> {
  const taken: number[] = [];
  for (const [place, ms] of places.entries()) taken.push(await timeOnce(() => work(ms, place)));
  return {
    median: { value: median(taken), unit: "ms" },
    slowest: { value: Math.max(...taken), unit: "ms" },
  };
}

/** How long other work had to wait at most. */
function watchLoop(): { longest: () => number; stop: () => void } {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 5);
    last = now;
  }, 5);
  return { longest: () => longest, stop: () => clearInterval(timer) };
}

/** The heap, with what waits to be collected, and the buffers outside of it. */
function memoryInMB(): number {
  const { heapUsed, external } = Deno.memoryUsage();
  return (heapUsed + external) / 1e6;
}
