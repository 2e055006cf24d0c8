import t from "tap";
import { type AnyActorRef, assign, createActor, fromPromise, setup } from "xstate";
import { sendEvent } from "../../../../src/visualizer/live/send_event.ts";
import { emptyFolder, scriptedSession, theOnly } from "./scripted_session.ts";
import { listAnnouncements } from "../../../../src/visualizer/live/list_announcements.ts";
import { watchSession } from "../../../../src/visualizer/live/watch_session.ts";

const machine = setup({
  types: { context: {} as { names: string[] }, events: {} as { type: string; name: { first: string } } },
}).createMachine({
  id: "door",
  context: { names: [] },
  initial: "closed",
  states: {
    closed: {
      after: { 60_000: "gone" },
      on: { "door.open": "open", "bell.*": "open", "door.leave": "gone" },
    },
    open: {
      on: {
        "door.close": "closed",
        "door.enter": {
          actions: assign({ names: ({ context, event }) => [...context.names, event.name.first] }),
        },
      },
    },
    gone: { type: "final" },
  },
});

function started(t: { teardown(work: () => unknown): void }) {
  const actor = createActor(machine);
  actor.start();
  t.teardown(() => actor.stop());
  const find = (id: string): AnyActorRef | undefined => id === "x:1" ? actor : undefined;
  return { actor, send: (event: unknown, id = "x:1") => sendEvent(find, id, event) };
}

t.test("an event that the machine knows reaches it, also one that it ignores now", (t) => {
  const { actor, send } = started(t);
  send({ type: "door.close" });
  t.equal(actor.getSnapshot().value, "closed");
  send({ type: "bell.rung.twice" });
  send({ type: "door.enter", name: { first: "Ada" } });
  t.match(actor.getSnapshot(), { value: "open", context: { names: ["Ada"] } });
  t.end();
});

t.test("what it does not know is refused with what it knows, the nearest first", (t) => {
  const { actor, send } = started(t);
  t.throws(() => send({ type: "door.opne" }), {
    code: "INVALID_INPUT",
    message: /^Cannot send door\.opne to .*: its machine has no transition for this event$/,
    context: { next: ["Events that it accepts: door.open, bell.*, door.leave, door.close, door.enter"] },
  });
  t.throws(() => send({ type: "x".repeat(201) }), { message: /longer than 200 characters/ });
  t.equal(actor.getSnapshot().value, "closed");
  t.end();
});

t.test("events of XState's own are not for people", (t) => {
  const { send } = started(t);
  for (const type of ["xstate.stop", "xstate.init", "xstate.after.60000.door.closed"]) {
    t.throws(() => send({ type }), { code: "INVALID_INPUT", message: /only XState sends events/ });
  }
  t.end();
});

t.test("an event without the facts that the machine needs is refused before it does harm", (t) => {
  const { actor, send } = started(t);
  send({ type: "door.open" });
  t.throws(() => send({ type: "door.enter" }), { code: "INVALID_INPUT", message: /its machine fails on it/ });
  t.match(actor.getSnapshot(), { status: "active", value: "open", context: { names: [] } });
  t.end();
});

t.test("who is not there, has ended, or is no machine hears nothing", (t) => {
  const { send } = started(t);
  t.throws(() => send({ type: "door.open" }, "x:2"), { code: "INVALID_INPUT", message: /no such actor/ });
  for (const none of [undefined, null, "door.open", [], {}, { type: 1 }, { type: "" }]) {
    t.throws(() => send(none), {
      code: "INVALID_INPUT",
      message: 'Cannot send event: expected an object with a "type"',
    });
  }
  send({ type: "door.leave" });
  t.throws(() => send({ type: "door.open" }), { code: "NOT_NOW", message: /it has ended \(done\)/ });
  const work = createActor(fromPromise(() => new Promise<void>(() => {}))).start();
  t.teardown(() => work.stop());
  t.throws(() => sendEvent(() => work, "x:3", { type: "a" }), { message: /invoked work/ });
  t.end();
});

t.test("a viewer sends through the session's socket, and is told what was refused", async (t) => {
  const session = scriptedSession(t, await emptyFolder(t));
  await session.announcing.id;
  const { actor } = started(t);
  session.actors.set("x:7", actor);
  const watched = await watchSession(await theOnly(listAnnouncements(session.folder)), session.folder);
  await watched.send("x:7", { type: "door.open" });
  t.equal(actor.getSnapshot().value, "open");
  await t.rejects(watched.send("x:7", { type: "door.s3cret" }), {
    code: "INVALID_INPUT",
    message: /^Cannot send door\.\[REDACTED\] to/,
    context: { next: [/^Events that it accepts: /] },
  });
  await watched.close();
});
