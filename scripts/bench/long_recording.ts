/**
 * `long_recording.ts FILE EVENTS`: writes a recording as a long session leaves it, and prints how many lines it has. It is a
 * real one of some hundred tests, whose middle is repeated.
 */
import { startSession, useTests } from "./session.ts";

/** Contexts of the newest lines are kept, as many as this; a recorder drops older ones. */
const contextBytes = 64 * 1024 * 1024;

interface Sample {
  before: string[];
  /** From the first test's beginning to the last one's end. */
  tests: string[];
  after: string[];
  events: number;
  /** Milliseconds that the tests took. */
  durationMs: number;
}

/** Runs `count` tests for real and takes down what happens. */
async function recordSample(path: string, count: number): Promise<Sample> {
  const harness = await startSession(20, { recordFile: path });
  try {
    await useTests(harness, count, 20);
    await harness.session().tests.runSuite({ workers: 4 });
  } finally {
    await harness.close();
  }
  const lines = (await Deno.readTextFile(path)).trimEnd().split("\n");
  const isTest = /"type":"actor","actor":"x:\d+","id":"test-/;
  const first = lines.findIndex((line) => isTest.test(line));
  const numbers = new Set(lines.filter((line) => isTest.test(line)).map(actorOf));
  const last = lines.findLastIndex((line) => numbers.has(actorOf(line)));
  const tests = lines.slice(first, last + 1);
  return {
    before: lines.slice(0, first),
    tests,
    after: lines.slice(last + 1),
    events: tests.filter((line) => line.includes(',"type":"event",')).length,
    durationMs: timeOf(tests.at(-1)!) - timeOf(tests[0]!),
  };
}

const actorOf = (line: string): string => /"actor":"(x:\d+)"/.exec(line)?.[1] ?? "";
const timeOf = (line: string): number => Number(/^\{"at":([\d.]+)/.exec(line)?.[1]);

/** Writes a recording of at least so many events; answers how many lines it has. */
async function writeLongRecording(path: string, events: number): Promise<number> {
  const sample = await recordSample(path, 500);
  const { before, tests, after, durationMs } = sample;
  const times = Math.ceil(events / sample.events);
  const withContexts = Math.ceil(contextBytes / sizeOfContexts(tests));
  const thinned = tests.map(withoutContext);
  const begun = new Set(tests.filter((line) => line.includes(',"type":"actor",')).map(actorOf));
  const file = await Deno.open(path, { write: true, truncate: true });
  const encoder = new TextEncoder();
  const write = async (lines: readonly string[]) => {
    let rest = encoder.encode(`${lines.join("\n")}\n`);
    while (rest.length > 0) rest = rest.subarray(await file.write(rest));
  };
  try {
    await write(before);
    for (let round = 0; round < times; round++) {
      const lines = round < times - withContexts ? thinned : tests;
      await write(lines.map((line) => repeated(line, round, begun, durationMs)));
    }
    await write(after.map((line) => repeated(line, times, new Set(), durationMs)));
  } finally {
    file.close();
  }
  return before.length - 1 + times * tests.length + after.length;
}

/** The same line some rounds later, about actors of that round. */
const repeated = (line: string, round: number, begun: ReadonlySet<string>, durationMs: number): string =>
  line.replace(/^\{"at":([\d.]+)/, (_, at) => `{"at":${(Number(at) + round * durationMs).toFixed(3)}`)
    .replace(/"(x:\d+)"/g, (name, actor) => begun.has(actor) ? `"${actor}0000${round}"` : name);

const withoutContext = (line: string): string =>
  line.includes('"type":"snapshot"') ? line.replace(/,"context":.*\}$/, ',"thinned":true}') : line;

const sizeOfContexts = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + line.length - withoutContext(line).length, 0);

const [path, events] = Deno.args;
console.log(await writeLongRecording(path!, Number(events)));
// Connections of the engine's client are kept open; nothing is left to wait for.
Deno.exit(0);
