import t from "tap";
import {
  durationText,
  endsOf,
  fittedName,
  groupedDigits,
  leafStates,
  onClock,
  shortId,
  shortType,
  sinceStart,
  stateText,
} from "../../../../src/visualizer/page/format.ts";
t.test("a state is told by its innermost parts", (t) => {
  const value = { open: { environment: "ready", plugin: { ready: {} }, suite: "none" } };
  t.same(leafStates(value), ["open.environment.ready", "open.plugin.ready", "open.suite.none"]);
  t.equal(stateText(value, 1), "open.environment.ready +2");
  t.equal(stateText("closed"), "closed");
  t.equal(stateText(undefined), "");
  t.end();
});

t.test("times are short, and long ones keep their order of size", (t) => {
  t.same([0.04, 12.4, 3210, 65_000, 7_500_000].map(durationText), [
    "0 ms",
    "12 ms",
    "3.2 s",
    "1 min 5 s",
    "2 h 5 min",
  ]);
  t.same([999.7, 59_980].map(durationText), ["1.0 s", "1 min 0 s"], "rounding does not make 1000 ms or 60 s");
  t.same([0, 3214.9, 723_214, 3_723_214].map(sinceStart), [
    "0:00.000",
    "0:03.214",
    "12:03.214",
    "1:02:03.214",
  ]);
  t.match(onClock("2026-01-15T10:30:00.000Z", 1500), /^\d\d:\d\d:01\.500$/);
  t.equal(onClock("no date", 1500), "0:01.500");
  t.same([1, 1234, 1_234_567].map(groupedDigits), ["1", "1,234", "1,234,567"]);
  t.end();
});

t.test("XState's own names are shortened, a machine's own are left as they are", (t) => {
  t.equal(shortId("0.session.preparing"), "session.preparing");
  t.equal(shortId("connection-1"), "connection-1");
  t.equal(shortType("xstate.done.actor.0.session.preparing"), "done: session.preparing");
  t.equal(shortType("xstate.error.actor.call-1"), "failed: call-1");
  t.equal(shortType("xstate.after.1000.test.running"), "after 1000 ms: test.running");
  t.equal(shortType("xstate.after.limit.test.running"), "after limit: test.running");
  t.equal(shortType("connection.call"), "connection.call");
  t.end();
});

t.test("a name that is too long keeps its end, which tells it from others", (t) => {
  t.equal(fittedName("connection-12", 9), "conn…n-12");
  t.equal(fittedName("connection-12", 13), "connection-12");
  t.equal(fittedName("connection-12", 8).length, 8);
  t.equal(fittedName("", 8), "");
  t.end();
});

t.test("who told whom: what comes from outside, and work, whose state stands in the event's type", (t) => {
  const target = { actor: "x:1", id: "connection-1" };
  t.same(endsOf({ target }), { from: "outside", to: "connection-1" });
  const work = { actor: "x:2", id: "0.connection.open.calling" };
  t.same(endsOf({ source: work, target }), { from: "work", to: "connection-1" });
  t.end();
});
