import t from "tap";
import { chartOf, isInside } from "../../../../src/visualizer/chart/chart_of.ts";
import { layOutChart } from "../../../../src/visualizer/chart/lay_out_chart.ts";
import { flaws, isOnBorder } from "./flaws.ts";
import { trafficMachine } from "./traffic_machine.ts";

const laidOut = await layOutChart(chartOf(trafficMachine));

t.test("the same chart is laid out the same way again", async (t) => {
  t.strictSame(await layOutChart(chartOf(trafficMachine)), laidOut);
});

t.test("transitions with the same ends share a line, in the order of the chart", (t) => {
  const { edges } = laidOut;
  const change = edges.find(({ source, target }) =>
    source === "traffic.running.cars.green" && target === "traffic.running.cars.red"
  );
  t.strictSame(change?.transitions, [
    "traffic.running.cars.green|light.change|0",
    "traffic.running.cars.green|light.change|1",
  ]);
  t.strictSame(change?.label.lines, ["light.change\n[isNight and not isBusy]", "light.change\n[cars > 3]"]);
  t.end();
});

t.test("a line through several levels is drawn as one, from its source to its target", (t) => {
  const { edges, states } = laidOut;
  const out = edges.find(({ target, source }) => target === "traffic.dark" && source.endsWith(".red"))!;
  t.ok(isOnBorder(out.points[0]!, states["traffic.running.cars.red"]!));
  t.ok(isOnBorder(out.points[out.points.length - 1]!, states["traffic.dark"]!));
  t.end();
});

t.test("a folded state is a box: lines end at it, what is inside is not drawn", async (t) => {
  const folded = await layOutChart(chartOf(trafficMachine), {
    collapsed: ["traffic.running.cars", "traffic.running.cars.red"],
  });
  t.strictSame(folded.collapsed, ["traffic.running.cars"], "what is inside of a folded state counts no more");
  t.notOk(Object.keys(folded.states).some((id) => isInside(id, "traffic.running.cars")));
  const out = folded.edges.find(({ source }) => source === "traffic.running.cars");
  t.equal(out?.target, "traffic.dark");
  t.strictSame(flaws(folded), []);
});

t.test("a chart of one state, and one that folds its root, are a box", async (t) => {
  const { width, height, states, edges } = await layOutChart(chartOf(trafficMachine), {
    collapsed: ["traffic"],
  });
  t.strictSame(Object.keys(states), ["traffic"]);
  t.strictSame(edges, []);
  t.ok(width > 50 && height > 20);
});
