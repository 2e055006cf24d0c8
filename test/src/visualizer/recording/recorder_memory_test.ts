import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { assign, createActor, enqueueActions, setup } from "xstate";
import type { RecordingHeader, RecordingLine } from "../../../../src/visualizer/recording/format.ts";
import { createMemory } from "../../../../src/visualizer/recording/recorder_memory.ts";
import { createRecorder } from "../../../../src/visualizer/recording/recorder.ts";

const folder = await mkdtemp(join(tmpdir(), "pth-remembered-"));
t.teardown(() => rm(folder, { recursive: true }));

const child = setup({ types: {} as { events: { type: "end" } | { type: "poke" } } }).createMachine({
  id: "child",
  initial: "on",
  states: { on: { on: { end: "off", poke: {} } }, off: { type: "final" } },
});
const parent = setup({
  types: {} as {
    context: { count: number };
    events: { type: "add"; text?: string } | { type: "spawn"; id: string };
  },
  actors: { child },
}).createMachine({
  id: "parent",
  context: { count: 0 },
  on: {
    add: { actions: assign({ count: ({ context }) => context.count + 1 }) },
    spawn: {
      actions: enqueueActions(({ enqueue, event }) => void enqueue.spawnChild("child", { id: event.id })),
    },
  },
});

function start(remember: number, redact = (text: string) => text) {
  const recorder = createRecorder({ redact, remember, about: () => ({ pth: "1.0.0", command: "run" }) });
  const actor = createActor(parent, { inspect: (event) => recorder.inspect(event) }).start();
  const grandchild = (id: string) => recorder.living().find((one) => one.id === id)!;
  return { recorder, actor, grandchild };
}

async function read(name: string) {
  const [header, ...lines] = (await readFile(join(folder, name), "utf8")).trim().split("\n");
  return {
    header: JSON.parse(header!) as RecordingHeader,
    lines: lines.map((line) => JSON.parse(line) as RecordingLine),
  };
}

t.test("a recording that begins late begins with what is remembered, and goes on without a gap", async (t) => {
  const { recorder, actor } = start(2000);
  for (let at = 0; at < 10; at++) actor.send({ type: "add" });
  const writing = await recorder.writeTo(join(folder, "late"));
  for (let at = 0; at < 10; at++) actor.send({ type: "add" });
  await writing.close();
  actor.send({ type: "add" });
  const { header, lines } = await read("late");
  t.match(header, { format: "pth-recording/2", command: "run", completeFrom: undefined });
  const counts = lines.flatMap((line) =>
    line.type === "snapshot" ? [(line.context as { count: number }).count] : []
  );
  t.same(counts, Array.from({ length: 21 }, (_, at) => at));
  t.equal(lines[0]!.type, "actor");
  await recorder.close();
});

t.test("of what came before that, there is where each living actor was, and what it heard last", async (t) => {
  const { recorder, actor, grandchild } = start(20);
  actor.send({ type: "spawn", id: "old" });
  actor.send({ type: "spawn", id: "gone" });
  grandchild("old").send({ type: "poke" });
  grandchild("gone").send({ type: "end" });
  for (let at = 0; at < 100; at++) actor.send({ type: "add" });
  const writing = await recorder.writeTo(join(folder, "before"));
  await writing.close();
  const { header, lines } = await read("before");
  t.same(
    lines.flatMap((line) => line.type === "actor" ? [line.id] : []),
    [actor.id, "old"],
    "who ended is left out",
  );
  const old = grandchild("old").sessionId;
  t.match(lines.filter(({ actor, type }) => actor === old && type !== "actor"), [
    { type: "event", event: { type: "poke" } },
    { type: "snapshot", value: "on", status: "active", taken: ["child.on|poke|0"] },
  ]);
  const times = lines.map(({ at }) => at);
  t.same(times, times.toSorted((a, b) => a - b));
  const first = lines.find((line) => line.at >= header.completeFrom! && line.type === "event");
  t.match(first, { event: { type: "add" } });
  t.match(lines.find((line) => line.type === "snapshot" && line.actor === actor.sessionId)!, {
    context: { count: 90 },
  });
  t.equal(lines.length, 2 + 2 + 2 + 20);
  await recorder.close();
});

t.test("who watches later finds the past again, also after somebody else has watched", async (t) => {
  const { recorder, actor } = start(2000);
  actor.send({ type: "add" });
  await (await recorder.writeTo(join(folder, "first"))).close();
  actor.send({ type: "add" });
  await (await recorder.writeTo(join(folder, "second"))).close();
  const heard = (lines: RecordingLine[]) =>
    lines.filter((line) => line.type === "event" && line.event.type === "add");
  t.equal(heard((await read("first")).lines).length, 1);
  t.equal(heard((await read("second")).lines).length, 2);
  await recorder.close();
});

t.test("what has become a secret since it was heard is taken out", async (t) => {
  const secrets: string[] = [];
  const redact = (text: string) =>
    secrets.reduce((shown, secret) => shown.replaceAll(secret, "[REDACTED]"), text);
  const { recorder, actor } = start(2000, redact);
  await recorder.writeTo(join(folder, "early"));
  actor.send({ type: "add", text: "hunter2" });
  secrets.push("hunter2");
  await recorder.writeTo(join(folder, "later"));
  await recorder.close();
  t.match(await readFile(join(folder, "early"), "utf8"), "hunter2");
  t.notMatch(await readFile(join(folder, "later"), "utf8"), "hunter2");
});

t.test("large events are not held in memory for long", async (t) => {
  const { recorder, actor } = start(2000);
  for (let at = 0; at < 40; at++) {
    actor.send({ type: "add", text: String(at).repeat(1024 * 1024) });
  }
  await (await recorder.writeTo(join(folder, "large"))).close();
  const { lines } = await read("large");
  const texts = lines.filter((line) => line.type === "event" && line.event.type === "add");
  t.ok(texts.length >= 5 && texts.length <= 17, `${texts.length} of 40, each of a megabyte or two`);
  await recorder.close();
});

t.test("what is large in many small pieces is not held for long either", async (t) => {
  const { recorder, actor } = start(2000);
  for (let at = 0; at < 40; at++) {
    const pieces = Array.from({ length: 1000 }, () => ({ text: "-".repeat(1000) }));
    const named = Object.fromEntries(pieces.map((piece, at) => [`piece ${at}`, piece]));
    actor.send({ type: "add", ...{ pieces: at % 2 === 0 ? pieces : named } });
  }
  await (await recorder.writeTo(join(folder, "pieces"))).close();
  const { lines } = await read("pieces");
  const held = lines.filter((line) => line.type === "event" && line.event.type === "add").length;
  t.ok(held >= 5 && held <= 17, `${held} of 40, each of a megabyte`);
  await recorder.close();
});

t.test("as much is remembered after a hundred thousand events as after ten", (t) => {
  const memory = createMemory(10, 5000);
  const actor = createActor(child);
  // Their weight is estimated: 27.5 characters, and room for 25 entries.
  const pieces = ["xx", ...Array.from({ length: 24 }, () => "x")];
  for (let order = 0; order < 100_000; order++) {
    const event = { type: "", pieces };
    memory.add({ type: "event", at: order, order, actor, source: undefined, event });
  }
  t.equal(memory.last().length, 10);
  t.end();
});

t.test("an actor is found by its name while it lives", async (t) => {
  const { recorder, actor, grandchild } = start(0);
  actor.send({ type: "spawn", id: "one" });
  const one = grandchild("one");
  t.equal(recorder.actor(one.sessionId), one);
  one.send({ type: "end" });
  t.equal(recorder.actor(one.sessionId), undefined);
  t.same(recorder.living().map(({ id }) => id), [actor.id]);
  await recorder.close();
});
