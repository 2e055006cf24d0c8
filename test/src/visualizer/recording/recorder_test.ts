import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { createActor, createMachine, sendTo } from "xstate";
import { createRecorder } from "../../../../src/visualizer/recording/recorder.ts";

const folder = await mkdtemp(join(tmpdir(), "pth-recording-"));
t.teardown(() => rm(folder, { recursive: true }));

/** Lines that a parent and its child leave behind, the parent being sent some events. */
async function record(name: string, events: { type: string; [fact: string]: unknown }[]) {
  const path = join(folder, name);
  const recorder = createRecorder({
    redact: (text) => text.replaceAll("hunter2", "[REDACTED]"),
    remember: 0,
    about: () => ({ pth: "1.0.0" }),
  });
  await recorder.writeTo(path);
  const child = createMachine({ id: "child", initial: "on", states: { on: {} } });
  const parent = createMachine({
    context: ({ spawn }) => ({ child: spawn(child, { id: "child" }) }),
    initial: "idle",
    states: {
      idle: { on: { go: { target: "gone", actions: sendTo("child", { type: "told" }) } } },
      gone: {},
    },
  });
  const actor = createActor(parent, { inspect: (event) => recorder.inspect(event) });
  actor.start();
  for (const event of events) actor.send(event);
  actor.stop();
  await recorder.close();
  const lines = (await readFile(path, "utf8")).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

t.test("a recording tells who there is, what they hear and where they are", async (t) => {
  const [header, ...lines] = await record("story", [{ type: "go" }]);
  t.match(header, { format: "pth-recording/2", startedAt: /^\d{4}-/ });
  const actors = lines.filter(({ type }) => type === "actor");
  const [parent, child] = actors.map(({ actor }) => actor);
  t.match(actors, [{ actor: parent }, { actor: child, id: "child", parent }]);
  t.match(lines.filter(({ type }) => type === "event"), [
    { actor: parent, event: { type: "xstate.init" } },
    { actor: child, source: parent, event: { type: "xstate.init" } },
    { actor: parent, event: { type: "go" } },
    { actor: child, source: parent, event: { type: "told" } },
  ]);
  const states = lines.filter(({ type, actor }) => type === "snapshot" && actor === parent);
  t.same(states.map(({ value, status }) => `${value} ${status}`), [
    "idle active",
    "gone active",
    "gone stopped",
  ]);
  t.same(states[0]!["context"], { child: { actor: child } }, "actors are told by their ids");
  const times = lines.map(({ at }) => at as number);
  t.same(times, times.toSorted((a, b) => a - b));
});

t.test("errors are their text, long lists their length, and what is large is abridged", async (t) => {
  const lines = await record("large", [
    { type: "go", error: new Error("no such thing"), list: Array.from({ length: 21 }, () => 1), few: [1, 2] },
    { type: "big", text: "x".repeat(5000) },
  ]);
  const heard = lines.flatMap(({ type, event }) =>
    type === "event" ? [event as Record<string, unknown>] : []
  );
  t.match(heard.find((event) => event["type"] === "go"), {
    error: { error: "no such thing" },
    list: { list: 21 },
    few: [1, 2],
  });
  const big = heard.find(({ type }) => type === "big") as { text: { abridged: string } };
  t.match(big.text.abridged, /^"xxx/);
  t.equal(big.text.abridged.length, 1000, "the type stays, and what is large is cut");
});

t.test("what cannot be read is told as such, and stops nothing", async (t) => {
  const strange = {
    get broken(): string {
      throw new Error("no luck");
    },
  };
  const around: Record<string, unknown> = {};
  around["around"] = around;
  const lines = await record("strange", [
    { type: "go", strange, around, big: 12n, bytes: new Uint8Array(3), nothing: Number.NaN, task: () => {} },
    { type: "told" },
  ]);
  const event = lines.find((line) => (line["event"] as { type?: string })?.type === "go")!["event"];
  t.match(event, {
    strange: { unreadable: "Error: no luck" },
    around: { abridged: /^\{"around":\{"around":/ },
    big: "12",
    bytes: { bytes: 3 },
    nothing: null,
    task: undefined,
  });
  t.ok(
    lines.some((line) => (line["event"] as { type?: string })?.type === "told"),
    "what came after is there",
  );
});

t.test("an event that lets nothing be read of it ends neither the session nor the recording", async (t) => {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const refuse = (): never => {
    throw new Error("no luck");
  };
  const list: unknown[] = [];
  list.push(list);
  const lines = await record("hostile", [
    Object.defineProperty({ type: "getter" }, "fact", { get: refuse, enumerable: true }),
    { type: "revoked", fact: revoked.proxy },
    new Proxy({ type: "proxy" }, { ownKeys: refuse }),
    { type: "endless", fact: { toJSON: () => JSON.parse("[".repeat(9000) + "]".repeat(9000)) }, list },
    { type: "after" },
  ]);
  const heard = new Map(lines.flatMap(({ event }) => {
    const fact = event as { type: string } | undefined;
    return fact === undefined ? [] : [[fact.type, fact] as const];
  }));
  t.same(heard.get("getter"), { type: "getter", unreadable: "Error: no luck" });
  t.match(heard.get("revoked"), { fact: { unreadable: /revoked/ } });
  t.same(heard.get("proxy"), { type: "proxy", unreadable: "Error: no luck" });
  t.match(heard.get("endless"), { fact: { unreadable: /1000 levels/ }, list: { unreadable: /1000 levels/ } });
  t.ok(heard.has("after"));
});

t.test("after a fault what was recorded is ended with why, and nothing is begun that would stay empty", async (t) => {
  let broken = false;
  const recorder = createRecorder({
    redact: (text) => {
      if (broken) throw new TypeError("a fault");
      return text;
    },
    remember: 0,
    about: () => ({ pth: "1.0.0" }),
  });
  const writing = await recorder.writeTo(join(folder, "fault"));
  const machine = createMachine({ on: { note: {} } });
  const actor = createActor(machine, { inspect: (event) => recorder.inspect(event) });
  actor.start();
  broken = true;
  actor.send({ type: "note", text: "x" });
  broken = false;
  actor.send({ type: "note", text: "y" });
  t.match((await writing.ended).error, {
    code: "INTERNAL",
    message: "Cannot continue recording: internal error of PTH",
  });
  await t.rejects(recorder.writeTo(join(folder, "another")), { code: "INTERNAL" });
  t.equal(actor.getSnapshot().status, "active", "the session goes on");
  actor.stop();
});

t.test("secrets are taken out", async (t) => {
  const lines = await record("secret", [
    { type: "go", password: "hunter2", hunter2: { deep: ["is hunter2"] }, error: new Error("not hunter2") },
    {
      type: "big",
      text: `${"x".repeat(997)}hunter2${"y".repeat(5000)}`,
      huge: `${"z".repeat(99_990)}hunter2`,
    },
  ]);
  t.notMatch(JSON.stringify(lines), "hunter2");
  t.notMatch(JSON.stringify(lines), "hun", "nor the half of one, where a text is cut");
  t.match(JSON.stringify(lines), "[REDACTED]");
});
