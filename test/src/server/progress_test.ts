import t from "tap";
import {
  callProgress,
  callTimesText,
  type ProgressNote,
  progressNotes,
} from "../../../src/server/progress.ts";

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

t.test("signs of life between steps grow, and stay below the step that follows", (t) => {
  const notes = progressNotes();
  const numbers = [
    notes.again("begins"),
    notes.again("begins"),
    notes.of({ phase: "install", message: "npm install" }),
    ...Array.from({ length: 1000 }, () => notes.again("install")),
    notes.of({ phase: "suite", message: "first", done: 1, total: 2 }),
    notes.again("first"),
    notes.of({ phase: "suite", message: "last", done: 2, total: 2 }),
    notes.again("last"),
  ].map((note) => note!.progress);
  t.ok(numbers.every((number, at) => at === 0 || number > numbers[at - 1]!));
  t.equal(numbers[2], 1);
  t.equal(numbers.at(-2), 3, "steps count as they would alone");
  t.end();
});

t.test("a total is told as long as it is not exceeded", (t) => {
  const notes = progressNotes();
  notes.of({ phase: "suite", message: "first", done: 1, total: 2 });
  t.match(notes.again("first"), { progress: 1.5, total: 2 });
  notes.of({ phase: "suite", message: "last", done: 2, total: 2 });
  t.equal(notes.again("last").total, undefined);
  t.end();
});

t.test("silence is broken by the latest step with its age, until the call ends", async (t) => {
  const sent: ProgressNote[] = [];
  const progress = callProgress({
    title: "Load the plugin",
    send: (note) => void sent.push(note),
    silenceMs: 30,
  });
  await pause(100);
  t.match(sent[0]?.message, /^Load the plugin \(\d+ s\)$/);
  progress.step({ phase: "install", message: "npm install" });
  const before = sent.length;
  await pause(100);
  t.ok(sent.length > before);
  t.match(sent.at(-1)?.message, /^install: npm install \(\d+ s\)$/);
  progress.end();
  const after = sent.length;
  progress.step({ phase: "build", message: "npm run build" });
  await pause(100);
  t.equal(sent.length, after, "nothing is sent after the answer");
});

t.test("steps that come often are told alone", async (t) => {
  const sent: ProgressNote[] = [];
  const progress = callProgress({ title: "Run", send: (note) => void sent.push(note), silenceMs: 2000 });
  for (const message of ["a", "b", "c"]) {
    progress.step({ phase: "suite", message });
    await pause(10);
  }
  progress.end();
  t.strictSame(sent.map(({ message }) => message), ["suite: a", "suite: b", "suite: c"]);
});

t.test("times are told for people", (t) => {
  const told = [900, 35_400, 125_000, 3_780_000].map(callTimesText);
  t.strictSame(told, ["0 s", "35 s", "2 min 5 s", "1 h 3 min"]);
  t.end();
});
