/** The contract of test frameworks' readers: what is read of a run does not depend on how its output arrives. */
import { readFileSync } from "node:fs";
import type { Test } from "tap";
import type { ProjectTestEvent } from "../../machines/model/project_test.ts";
import { folderOf } from "../../src/plugin/readable_folder.ts";
import type {
  EventReader,
  ProbeResult,
  ProjectTestFramework,
  TestProject,
  TestStream,
} from "../../src/project_tests/framework.ts";

/** Output of a real run, in the order in which it came. */
export interface RecordedRun {
  /** Command line that was recorded, for people. */
  command: string;
  pieces: [TestStream, string][];
  exit: { code: number | null; signal: string | null };
}

export interface FrameworkCase {
  framework: ProjectTestFramework;
  run: RecordedRun;
  /** Lines of `toldIn`, in order. */
  expected: string[];
  /** A run that is cut off anywhere is seen to be, even where the process says that all is well. */
  tellsEnd?: boolean;
  project?: Partial<TestProject>;
}

/** Reads a recorded run of `test/fixtures/project_tests/`. */
export const recordedRun = (path: string): RecordedRun =>
  JSON.parse(
    readFileSync(new URL(`../fixtures/project_tests/${path}.json`, import.meta.url), "utf8"),
  ) as RecordedRun;

/** A project in `/project` whose probes answer what is given, by command line; others fail. */
export const projectFor = (
  request: TestProject["request"] = {},
  files: Record<string, string> = {},
  probes: Record<string, Partial<ProbeResult>> = {},
): TestProject => ({
  folder: folderOf(files),
  root: "/project",
  request,
  probe: (argv) =>
    Promise.resolve({
      code: argv.join(" ") in probes ? 0 : 127,
      stdout: "",
      stderr: "",
      ...probes[argv.join(" ")],
    }),
});

/** Events as lines of what a person is told: ends of tests and suites, and failures before them. */
export const toldIn = (events: readonly ProjectTestEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type === "finished") {
      const { test: { suite, name }, outcome: { status, place, message } } = event;
      const where = place === undefined ? "" : ` at ${place.file}:${place.line ?? "?"}`;
      const why = message === undefined ? "" : `: ${message.split("\n", 1)[0]}`;
      return [`${status} ${suite === undefined ? "" : `[${suite}] `}${name}${where}${why}`];
    }
    if (event.type === "suite_ended") {
      return event.complete ? [] : [`broken [${event.suite ?? ""}]: ${event.reason ?? ""}`];
    }
    if (event.type === "not_run") {
      const where = event.place === undefined ? "" : ` at ${event.place.file}:${event.place.line ?? "?"}`;
      return [`not run${where}: ${event.message.split("\n", 1)[0]}`];
    }
    return [];
  });

export const readAll = (
  reader: EventReader,
  { pieces, exit }: Omit<RecordedRun, "command">,
): ProjectTestEvent[] => [
  ...pieces.flatMap(([stream, text]) => reader.push(stream, text)),
  ...reader.end(exit),
];

/** Registers the tests of one recorded run. */
export function testFrameworkContract(
  t: Test,
  { framework, run, expected, tellsEnd = true, project }: FrameworkCase,
): void {
  const reader = () => framework.reader({ ...projectFor(), ...project });
  const whole = readAll(reader(), run);
  const random = randomFrom(17);

  t.strictSame(toldIn(whole), expected, "what the run tells");
  t.strictSame(disorderIn(whole), [], "each test starts once, then ends once");
  for (let round = 0; round < 3; round++) {
    const cut = { ...run, pieces: run.pieces.flatMap((piece) => cutAtRandom(piece, random)) };
    t.strictSame(readAll(reader(), cut), whole, "the same wherever the output is cut");
  }
  for (let round = 0; round < 12; round++) {
    const pieces = truncateAtRandom(run.pieces, random);
    const events = readAll(reader(), { pieces, exit: { code: 0, signal: null } });
    t.strictSame(disorderIn(events), [], "a run that is cut off keeps its order");
    if (tellsEnd && endsOf(events) < endsOf(whole)) {
      t.ok(!isGreen(events), `a run that is cut off after ${lengthOf(pieces)} characters is not green`);
    }
  }
  for (const [stream, garbage] of garbageFrom(random)) {
    const at = Math.floor(random() * run.pieces.length);
    const pieces: [TestStream, string][] = [
      ...run.pieces.slice(0, at),
      [stream, garbage],
      ...run.pieces.slice(at),
    ];
    const events = readAll(reader(), { ...run, pieces });
    t.strictSame(disorderIn(events), [], "garbage does not disturb the order");
    const longest = Math.max(...events.map((event) => JSON.stringify(event).length));
    t.ok(longest < 1_500_000, "no event is longer than a line may be");
  }
}

/** Tests that end twice, or without a start, or start twice. */
function disorderIn(events: readonly ProjectTestEvent[]): string[] {
  const states = new Map<string, "started" | "finished">();
  return events.flatMap((event) => {
    if (event.type !== "started" && event.type !== "finished") return [];
    const key = JSON.stringify([event.test.suite, event.test.name]);
    const before = states.get(key);
    states.set(key, event.type);
    return before === (event.type === "started" ? undefined : "started")
      ? []
      : [`${key} ${event.type} after ${before}`];
  });
}

/** Whether nothing speaks against the run besides what the process says itself. */
const isGreen = (events: readonly ProjectTestEvent[]): boolean => {
  const started = events.filter(({ type }) => type === "started").length;
  const finished = events.filter((event) => event.type === "finished");
  return finished.length > 0 && started === finished.length &&
    finished.every(({ outcome }) => outcome.status !== "failed") &&
    !events.some((event) => event.type === "not_run" || event.type === "suite_ended" && !event.complete);
};

const endsOf = (events: readonly ProjectTestEvent[]): number =>
  events.filter((event) => event.type === "finished" || event.type === "suite_ended").length;

const lengthOf = (pieces: RecordedRun["pieces"]): number =>
  pieces.reduce((length, [, text]) => length + text.length, 0);

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
}

function cutAtRandom([stream, text]: [TestStream, string], random: () => number): [TestStream, string][] {
  // Lines of the events file arrive whole.
  if (stream === "events") return text.split(/(?<=\n)/).map((line) => [stream, line]);
  const pieces: [TestStream, string][] = [];
  for (let at = 0; at < text.length;) {
    const end = at + 1 + Math.floor(random() * (random() < 0.5 ? 8 : 400));
    pieces.push([stream, text.slice(at, end)]);
    at = end;
  }
  return pieces;
}

function truncateAtRandom(pieces: RecordedRun["pieces"], random: () => number): RecordedRun["pieces"] {
  let left = Math.floor(random() * lengthOf(pieces));
  return pieces.flatMap(([stream, text]): RecordedRun["pieces"] => {
    const kept = text.slice(0, left);
    left -= kept.length;
    return kept === "" ? [] : [[stream, kept]];
  });
}

/** What tests print to disturb a reader: bytes, endless lines, pieces of every format. */
function* garbageFrom(random: () => number): Generator<[TestStream, string]> {
  const bytes = Array.from({ length: 4000 }, () => String.fromCharCode(Math.floor(random() * 512))).join("");
  const marks = [
    '{ "type": "test", "name": "x", "event": ',
    '{ "type": "suite", "event": "started", "test_count": 1e999 }\n',
    '{"Action":"pass","Package":null,"Test":{}}\n{"Action":1}\n[]\nnull\n',
    "running 99999999999999999999 tests\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
    "[ RUN      ] a.b\n[       OK ] c.d (1 ms)\n[  FAILED  ] \n",
    "ok 1 - x\nnot ok\n1..-5\nBail out!\n",
    "</TestCase></Catch2TestRun><!DOCTYPE a [<!ENTITY b 'c'>]><&b;>",
    "##pth ended\tx\n##pth libtest\n##pth program\t\t\n",
    "\u0000\ufffd\ud800\n",
  ];
  for (const stream of ["stdout", "stderr", "events"] as const) {
    yield [stream, `${bytes}\n`];
    yield [stream, `${"x".repeat(3_000_000)}\n`];
    for (const mark of marks) yield [stream, mark.endsWith("\n") ? mark : `${mark}\n`];
  }
}
