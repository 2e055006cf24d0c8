import t from "tap";
import type { ClientCapability } from "../../../machines/model/plugin.ts";
import { createClientFeatures } from "../../../src/client/client_features.ts";

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
