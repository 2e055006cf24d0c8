import t from "tap";
import type { ClientCapability } from "../../../machines/model/plugin.ts";
import { createClientFeatures, createInbox } from "../../../src/client/client_features.ts";

const all: ClientCapability[] = ["elicitation", "roots", "sampling"];

function makeDesk(abilities: ClientCapability[], onTold: () => void = () => {}) {
  const sent: string[] = [];
  const desk = createClientFeatures({
    abilities,
    roots: [],
    notify: (method) => {
      sent.push(method);
      onTold();
    },
  });
  return { desk, sent };
}

t.test("what was not declared is not offered", (t) => {
  const { desk } = makeDesk([]);
  t.same(desk.capabilities(), {});
  for (const method of ["elicitation/create", "sampling/createMessage", "roots/list", "toString"]) {
    t.equal(desk.answer(method), undefined);
  }
  t.same(Object.keys(makeDesk(all).desk.capabilities()), all);
  t.end();
});

t.test("replies are used in their order, each once; more is refused and told", (t) => {
  const { desk } = makeDesk(all);
  desk.script({
    elicitation: [{ action: "accept", content: { a: 1 } }, { action: "decline" }],
    sampling: [{ text: "hi" }],
  });
  t.same(desk.answer("elicitation/create"), { result: { action: "accept", content: { a: 1 } } });
  t.same(desk.answer("elicitation/create"), { result: { action: "decline" } });
  t.same(desk.answer("elicitation/create"), { result: { action: "cancel" } }, "the script is over");
  t.match(desk.answer("sampling/createMessage"), {
    result: { role: "assistant", content: { type: "text", text: "hi" }, stopReason: "endTurn" },
  });
  t.match(desk.answer("sampling/createMessage"), { error: { code: -1 } });
  t.same(desk.finish(), {
    unscripted: ["elicitation/create", "sampling/createMessage"],
    unused: { elicitation: 0, sampling: 0 },
  });
  t.end();
});

t.test("what a step leaves is told, and is no reply for the next", (t) => {
  const { desk } = makeDesk(all);
  desk.script({ elicitation: [{ action: "decline" }] });
  t.same(desk.finish(), { unscripted: [], unused: { elicitation: 1, sampling: 0 } });
  desk.script({});
  t.same(desk.answer("elicitation/create"), { result: { action: "cancel" } });
  t.end();
});

t.test("a server that knows other roots is told that they changed, and waited for", async (t) => {
  const { desk, sent } = makeDesk(["roots"], () => setTimeout(() => desk.answer("roots/list"), 5));
  await desk.begin([{ uri: "file:///a" }]);
  t.same(sent, [], "it has not asked yet");
  t.same(desk.answer("roots/list"), { result: { roots: [{ uri: "file:///a" }] } });
  await desk.begin([{ uri: "file:///a" }]);
  t.same(sent, [], "it knows these");
  await desk.begin([{ uri: "file:///b" }]);
  t.same(sent, ["notifications/roots/list_changed"]);
  t.same(desk.answer("roots/list"), { result: { roots: [{ uri: "file:///b" }] } });
});

t.test("a server that does not ask again is waited for half a second, not for ever", async (t) => {
  const { desk } = makeDesk(["roots"]);
  desk.answer("roots/list");
  const started = performance.now();
  await desk.begin([{ uri: "file:///b" }]);
  t.ok(performance.now() - started >= 490);
});

const told = (method: string, params: Record<string, unknown> = {}) => ({ method, params });

t.test("each notification is handed out once, the oldest first", async (t) => {
  const inbox = createInbox();
  inbox.add(told("a", { n: 1 }), 10);
  inbox.add(told("b"), 10);
  inbox.add(told("a", { n: 2 }), 10);
  t.same(await inbox.next({ method: "a" }, 1000), told("a", { n: 1 }));
  t.same(await inbox.next({ method: "a" }, 1000), told("a", { n: 2 }));
  t.equal(await inbox.next({ method: "a" }, 1), undefined);
  t.same(await inbox.next({ method: "b" }, 1000), told("b"));
});

t.test("one that comes while it is waited for goes to the first who waits, and is not kept", async (t) => {
  const inbox = createInbox();
  const first = inbox.next({ method: "a" }, 1000);
  const second = inbox.next({ method: "a" }, 20);
  inbox.add(told("a"), 1);
  t.same(await first, told("a"));
  t.equal(await second, undefined);
  t.equal(await inbox.next({ method: "a" }, 1), undefined);
});

t.test("params may be a part of what came, also within; lists must be the same", async (t) => {
  const inbox = createInbox();
  inbox.add(told("a", { uri: "x", meta: { deep: 1, more: 2 }, list: [1, 2] }), 1);
  for (const params of [{ uri: "y" }, { meta: { deep: 2 } }, { list: [1] }, { other: 1 }]) {
    t.equal(await inbox.next({ method: "a", params }, 1), undefined);
  }
  const params = { meta: { deep: 1 }, list: [1, 2] };
  t.match(await inbox.next({ method: "a", params }, 1), { params: { uri: "x" } });
});

t.test("number and size are bounded, the oldest go; a new test begins without any", async (t) => {
  const inbox = createInbox({ most: 2, mostBytes: 100 });
  for (const n of [1, 2, 3]) inbox.add(told("a", { n }), 10);
  t.match(await inbox.next({ method: "a" }, 1), { params: { n: 2 } });
  inbox.add(told("big"), 95);
  t.equal(await inbox.next({ method: "a" }, 1), undefined, "a large one takes the place of those before it");
  inbox.clear();
  t.equal(await inbox.next({ method: "big" }, 1), undefined);
});

t.test("waiting ends with its signal", async (t) => {
  const inbox = createInbox();
  const stop = new AbortController();
  const waiting = inbox.next({ method: "a" }, 10_000, stop.signal);
  stop.abort(new Error("enough"));
  await t.rejects(waiting, { message: "enough" });
  await t.rejects(inbox.next({ method: "a" }, 10_000, stop.signal), { message: "enough" });
});
