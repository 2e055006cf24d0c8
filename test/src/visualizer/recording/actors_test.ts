import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { type AnyActorLogic, assign, createActor, fromCallback, fromPromise, sendTo, setup } from "xstate";
import type { ActorLine, RecordingLine, SnapshotLine } from "../../../../src/visualizer/recording/format.ts";
import { createRecorder } from "../../../../src/visualizer/recording/recorder.ts";

const folder = await mkdtemp(join(tmpdir(), "pth-recorded-actors-"));
t.teardown(() => rm(folder, { recursive: true }));

const pause = (ms = 10) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Everything that is recorded of a machine while something is done with it. */
async function record<Logic extends AnyActorLogic>(
  logic: Logic,
  use: (actor: ReturnType<typeof createActor<Logic>>) => Promise<void>,
): Promise<RecordingLine[]> {
  const path = join(folder, "recording");
  const recorder = createRecorder({ redact: (text) => text, remember: 0, about: () => ({ pth: "1.0.0" }) });
  await recorder.writeTo(path);
  const actor = createActor(logic as AnyActorLogic, { inspect: (event) => recorder.inspect(event) });
  actor.subscribe({ error: () => {} });
  actor.start();
  await use(actor as ReturnType<typeof createActor<Logic>>);
  await recorder.close();
  const [, ...lines] = (await readFile(path, "utf8")).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as RecordingLine);
}

const actors = (lines: RecordingLine[]) => lines.filter((line): line is ActorLine => line.type === "actor");
const snapshots = (lines: RecordingLine[], actor: string) =>
  lines.filter((line): line is SnapshotLine => line.type === "snapshot" && line.actor === actor);

const worker = setup({
  actors: {
    load: fromPromise<string>(() => pause(1).then(() => "loaded")),
    break: fromPromise<string>(() => Promise.reject(new Error("no disk"))),
    listen: fromCallback(() => {}),
  },
}).createMachine({
  id: "worker",
  initial: "loading",
  states: {
    loading: { invoke: { src: "load", onDone: "breaking" } },
    breaking: { invoke: { src: "break", onDone: "idle", onError: "listening" } },
    listening: { invoke: { src: "listen" }, on: { stop: "idle" } },
    idle: {},
  },
});

t.test("a machine is told by its id, work by its slot; work has one snapshot, when it ends", async (t) => {
  const lines = await record(worker, async (actor) => {
    await pause();
    actor.send({ type: "stop" });
    actor.stop();
  });
  const [machine, ...work] = actors(lines);
  t.match(machine, { machine: "worker", slot: undefined, parent: undefined });
  t.match(work.map(({ slot, machine, parent }) => ({ slot, machine, parent })), [
    { slot: "load", machine: undefined, parent: machine!.actor },
    { slot: "break" },
    { slot: "listen" },
  ]);
  t.match(work.map(({ actor }) => snapshots(lines, actor)), [
    [{ status: "done", value: undefined, context: undefined }],
    [{ status: "error", error: "no disk" }],
    [{ status: "stopped" }],
  ]);
  t.equal(snapshots(lines, work[0]!.actor).length, 1);
});

t.test("that work has ended comes before what its machine does about it", async (t) => {
  const lines = await record(worker, () => pause());
  const [, load] = actors(lines);
  const ended = lines.findIndex((line) => line.type === "snapshot" && line.actor === load!.actor);
  const heard = lines.findIndex((line) => line.type === "event" && line.event.type.startsWith("xstate.done"));
  t.equal(heard, ended + 1);
});

const counter = setup({
  types: {} as {
    context: { count: number; name: string };
    events: { type: "add" } | { type: "look" } | { type: "lost" };
  },
  guards: { full: ({ context }) => context.count >= 2 },
}).createMachine({
  id: "counter",
  context: { count: 0, name: "c" },
  initial: "open",
  states: {
    open: {
      always: [{ guard: "full", target: "closed" }],
      on: {
        add: [
          { guard: ({ context }) => context.count > 5, target: "closed" },
          { actions: assign({ count: ({ context }) => context.count + 1 }) },
        ],
        look: {},
      },
    },
    closed: { type: "final" },
  },
});

t.test("transitions are named as in a chart; a context is told only where it changed", async (t) => {
  const lines = await record(counter, async (actor) => {
    for (const type of ["look", "lost", "add", "add"] as const) actor.send({ type });
    await pause(1);
  });
  const told = lines.filter((line) => line.type === "snapshot");
  t.same(
    told.map(({ value, taken, context }) => ({
      value,
      taken,
      count: (context as { count?: number })?.count,
    })),
    [
      { value: "open", taken: undefined, count: 0 },
      { value: "open", taken: ["counter.open|look|0"], count: undefined },
      { value: "open", taken: undefined, count: undefined },
      { value: "open", taken: ["counter.open|add|1"], count: 1 },
      { value: "closed", taken: ["counter.open|add|1", "counter.open||0"], count: 2 },
    ],
  );
  t.equal(told.at(-1)!.status, "done");
});

t.test("each line begins with its time, type and actor, and an event with its type", async (t) => {
  const path = join(folder, "recording");
  await record(counter, (actor) => {
    actor.send({ fact: 1, type: "add" } as never);
    return pause(1);
  });
  const [header, ...lines] = (await readFile(path, "utf8")).trim().split("\n");
  t.match(header, /^\{"format":"pth-recording\/2","startedAt":"\d{4}-.*","pth":"1\.0\.0"\}$/);
  for (const line of lines) t.match(line, /^\{"at":[\d.]+,"type":"(actor|event|snapshot)","actor":"x:\d+"/);
  t.match(lines.find((line) => line.includes("fact")), '"event":{"type":"add","fact":1}');
});

t.test("a machine that fails by itself is told as failed, with what it failed with", async (t) => {
  const failing = setup({}).createMachine({
    initial: "idle",
    states: {
      idle: {
        on: {
          go: {
            guard: () => {
              throw new Error("unforeseen");
            },
            target: "idle",
          },
        },
      },
    },
  });
  const parent = setup({ actors: { failing } }).createMachine({
    invoke: { src: "failing", id: "failing", onError: {} },
    on: { go: { actions: sendTo("failing", { type: "go" }) } },
  });
  const lines = await record(parent, async (actor) => {
    actor.send({ type: "go" });
    await pause();
  });
  const child = actors(lines).find(({ id }) => id === "failing")!;
  t.match(snapshots(lines, child.actor).at(-1), { status: "error", error: /unforeseen/ });
});
