import t from "tap";
import {
  highlightedStates,
  innermostStates,
  withoutMachine,
} from "../../../../../src/visualizer/page/chart/highlighted_states.ts";

t.test("a value lights all states around where the machine is", (t) => {
  t.same(highlightedStates("pool", "serving"), ["pool", "pool.serving"]);
  t.same(highlightedStates("connection", { open: "idle" }), [
    "connection",
    "connection.open",
    "connection.open.idle",
  ]);
  t.end();
});

t.test("each of the regions side by side is lit", (t) => {
  const value = { running: { clock: "ticking", work: { acting: "waiting" } } };
  t.same(innermostStates(highlightedStates("test", value)), [
    "test.running.clock.ticking",
    "test.running.work.acting.waiting",
  ]);
  t.end();
});

t.test("a region without states of its own is lit itself", (t) => {
  t.same(highlightedStates("m", { on: { left: {}, right: "a" } }), [
    "m",
    "m.on",
    "m.on.left",
    "m.on.right",
    "m.on.right.a",
  ]);
  t.end();
});

t.test("work has no value, and lights nothing", (t) => {
  t.same(highlightedStates("session", undefined), []);
  t.same(innermostStates([]), []);
  t.end();
});

t.test("a state that begins like another one is not inside it", (t) => {
  t.same(innermostStates(["m", "m.stop", "m.stopping"]), ["m.stop", "m.stopping"]);
  t.end();
});

t.test("people read a state without its machine, and the machine itself by its name", (t) => {
  t.equal(withoutMachine("session.open.environment"), "open.environment");
  t.equal(withoutMachine("session"), "session");
  t.end();
});
