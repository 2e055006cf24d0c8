import t from "tap";
import { poolMachine, sessionMachine } from "../../../../machines/mod.ts";
import { chartOf, statesOf } from "../../../../src/visualizer/chart/chart_of.ts";
import { trafficMachine } from "./traffic_machine.ts";

const chart = chartOf(trafficMachine);
const state = (id: string) => [...statesOf(chart.root)].find((one) => one.id === id)!;
const transition = (id: string) => chart.transitions.find((one) => one.id === id)!;

t.test("a chart has the machine's name, description and states", (t) => {
  t.equal(chart.machine, "traffic");
  t.equal(chart.summary, "A crossing <with> lights.");
  t.equal(chart.root.id, "traffic");
  t.strictSame([...statesOf(chart.root)].map(({ id, kind }) => `${id} ${kind}`), [
    "traffic compound",
    "traffic.starting atomic",
    "traffic.running parallel",
    "traffic.running.cars compound",
    "traffic.running.cars.green atomic",
    "traffic.running.cars.red atomic",
    "traffic.running.people compound",
    "traffic.running.people.waiting atomic",
    "traffic.running.people.gone final",
    "traffic.dark final",
  ]);
  t.equal(state("traffic.running.cars").initial, "green");
  t.notOk("initial" in state("traffic.running"), "regions begin all at once");
  t.end();
});

t.test("events that XState makes up have a name for people", (t) => {
  const labels = chart.transitions.filter(({ event }) => event.startsWith("xstate.") || event === "")
    .map(({ label, kind, source }) => `${source}: ${label} (${kind})`);
  t.strictSame(labels, [
    "traffic.starting: warmUp done (done)",
    "traffic.starting: warmUp failed (error)",
    "traffic.starting: after 2500 ms (after)",
    "traffic.starting: after patience (after)",
    "traffic.running: running done (done)",
    "traffic.running.cars.red: always (always)",
  ]);
  t.equal(transition("traffic.running.cars.red|*|0").label, "any other event");
  t.end();
});

t.test("a transition is named as a recording names it, by its place among those on the same event", (t) => {
  const { id, targets, reenter } = transition("traffic.running.cars.green|light.change|2");
  t.strictSame([id, targets, reenter], ["traffic.running.cars.green|light.change|2", [], false]);
  t.equal(transition("traffic.running.cars.green|light.again|0").reenter, true);
  t.strictSame(transition("traffic.running.cars.red||0").targets, ["traffic.dark"]);
  for (const machine of [poolMachine, sessionMachine]) {
    const ids = chartOf(machine).transitions.map(({ id }) => id);
    t.equal(new Set(ids).size, ids.length, "ids are unique");
    t.notOk(ids.some((id) => id.includes(" ")), "ids have no blanks: a picture separates them by one");
  }
  t.end();
});

t.test("guards are shown by name, combined ones in words, inline ones by their expression", (t) => {
  t.equal(transition("traffic.running.cars.green|light.change|0").guard, "isNight and not isBusy");
  t.equal(transition("traffic.running.cars.green|light.change|1").guard, "cars > 3");
  t.equal(transition("traffic.running.cars.green|light.change|2").guard, "isNight or isBusy");
  t.notOk("guard" in transition("traffic|power.cut|0"));
  t.end();
});

t.test("actions are short phrases; the timers that XState keeps for `after` are none", (t) => {
  const green = state("traffic.running.cars.green");
  t.strictSame(green.entry, ["note green", "send light.changed to parent"]);
  t.strictSame(green.exit, ["stop camera", "cancel timer"]);
  t.strictSame(state("traffic.starting").entry, []);
  t.strictSame(state("traffic.starting").exit, []);
  t.strictSame(transition("traffic|car.came|0").actions, ["assign cars"]);
  t.strictSame(transition("traffic.running.cars.red|light.change|0").actions, [
    "may count, send light.changed",
  ]);
  t.strictSame(transition("traffic.running.cars.green|light.change|1").actions, ["emit jam"]);
  t.end();
});

t.test("a machine of PTH: who is sent what, and what is started", (t) => {
  const session = chartOf(sessionMachine);
  const actions = (id: string) => session.transitions.find((one) => one.id === id)?.actions;
  t.strictSame(actions("session.open.environment.absent|session.provision|0"), [
    "accept environment",
    "spawn environment",
    "send environment.provision to environment",
  ]);
  t.match(session.summary, /^One session/);
  t.end();
});
