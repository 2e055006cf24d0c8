import t from "tap";
import type { ChartTransition } from "../../../../../src/visualizer/chart/chart.ts";
import { transitionText } from "../../../../../src/visualizer/page/chart/pointed_line.tsx";
import { transitionIds } from "../../../../../src/visualizer/page/chart/highlight_chart.ts";

const transition: ChartTransition = {
  id: "pool.serving|lease.requested|0",
  kind: "event",
  source: "pool.serving",
  event: "lease.requested",
  label: "lease.requested",
  targets: ["pool.draining"],
  guard: "isFree",
  actions: ["assign leases"],
  reenter: false,
};

t.test("a transition reads as a sentence, with where a guard refused it last", (t) => {
  t.equal(
    transitionText(transition, undefined),
    "lease.requested: serving → draining; when isFree; does: assign leases",
  );
  const refusal = { event: "lease.requested", transition: transition.id, guard: "isFree" };
  const refused = [{ ...refusal, position: 3 }, { ...refusal, position: 9 }, {
    ...refusal,
    position: 12,
    transition: "x",
  }];
  t.match(transitionText(transition, { refused }), "refused when lease.requested came, at line 9");
  t.end();
});

t.test("a guard of what is taken at once is asked without an event", (t) => {
  const refused = [{ event: "", transition: transition.id, guard: "isFree", position: 1234 }];
  t.match(transitionText(transition, { refused }), "; refused, at line 1,234");
  t.end();
});

t.test("one that goes nowhere says so", (t) => {
  const { guard: _guard, ...plain } = transition;
  t.equal(
    transitionText({ ...plain, targets: [], actions: [] }, undefined),
    "lease.requested: serving → stays",
  );
  t.end();
});

t.test("a line without transitions stands for none", (t) => {
  t.same(transitionIds("a|b|0 a|c|0"), ["a|b|0", "a|c|0"]);
  t.same(transitionIds(""), []);
  t.end();
});
