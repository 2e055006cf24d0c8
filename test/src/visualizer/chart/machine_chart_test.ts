import t from "tap";
import {
  machineChart,
  machineIds,
  machineLayout,
  readStoredLayouts,
  storedLayout,
  toStored,
} from "../../../../src/visualizer/chart/machine_chart.ts";
import { layOutChart } from "../../../../src/visualizer/chart/lay_out_chart.ts";
import { flaws } from "./flaws.ts";
import { staysInBox } from "../../../../src/visualizer/chart/chart_of.ts";

t.test("the catalogue has every machine, each with a sentence on what it is", (t) => {
  t.ok(machineIds.length >= 14);
  t.equal(new Set(machineIds).size, machineIds.length);
  for (const id of machineIds) t.match(machineChart(id).summary, /^[A-Z].*\.$/, id);
  t.end();
});

t.test("a machine that is not there is named, with those that are", async (t) => {
  await t.rejects(machineLayout("sesion"), {
    code: "INVALID_INPUT",
    message: "Cannot show machine sesion: there is none of this name",
    context: { next: [/session/] },
  });
});

const advice =
  "change the order of the states in the machine's file (ELK lays out by it) or shorten a name, then run " +
  "deno task gen; where that does not help, mend src/visualizer/chart/read_level.ts";

t.test("in the picture of every machine nothing covers anything, and lines end where they should", async (t) => {
  for (const id of machineIds) t.strictSame(flaws(await machineLayout(id)), [], `${id}: ${advice}`);
});

t.test("every machine fits a screen: not wider than 1280 pixels by much, and not much wider than high", async (t) => {
  for (const id of machineIds) {
    const { width, height } = await machineLayout(id);
    t.ok(width <= 1280 * 1.6, `${id} is ${width} wide: its texts stay legible on 1280 pixels`);
    t.ok(width / height <= 1.9 && height / width <= 1.9, `${id} is ${width} × ${height}`);
  }
});

t.test("every transition is in the picture: on a line, or in its state's box", async (t) => {
  for (const id of machineIds) {
    const { chart, edges } = await machineLayout(id);
    const onLines = new Set(edges.flatMap(({ transitions }) => transitions));
    const missing = chart.transitions.filter((one) => !staysInBox(one) && !onLines.has(one.id));
    t.strictSame(missing, [], id);
    t.ok(edges.every(({ transitions, label }) => transitions.length === label.lines.length));
  }
});

t.test("a layout is made once, whatever the order of what is folded, and whatever else is asked for", async (t) => {
  t.equal(await machineLayout("call"), await machineLayout("call"));
  const folded = await machineLayout("session", ["session.open", "session.ending"]);
  t.strictSame(folded.collapsed, ["session.open", "session.ending"]);
  t.equal(await machineLayout("session", ["session.ending", "session.open"]), folded);
  const more = ["session.ended", "session.gone", "session.open.suite"];
  t.equal(await machineLayout("session", [...more, "session.ending", "session.open"]), folded);
  const area = ({ width, height }: { width: number; height: number }) => width * height;
  t.ok(area(folded) < area(await machineLayout("session")) / 6, "a folded chart is small");
  t.strictSame(flaws(folded), []);
});

t.test("folding a state turns no other around", async (t) => {
  const { directions } = await machineLayout("test");
  const folded = await machineLayout("test", ["test.running.clock"]);
  t.ok(Object.keys(directions).length >= 4);
  t.strictSame(folded.directions, directions);
  t.strictSame(flaws(folded), []);
});

const stored = await readStoredLayouts();

t.test("the layout of every machine as it is now is kept, whatever runs this, and nothing else", (t) => {
  t.strictSame(Object.keys(stored.layouts), machineIds);
  t.strictSame(machineIds.filter((id) => storedLayout(stored, machineChart(id)) === undefined), []);
  t.end();
});

t.test("what is kept is what would be laid out", async (t) => {
  for (const id of ["harness", "dependencies"]) {
    t.strictSame(storedLayout(stored, machineChart(id)), await layOutChart(machineChart(id)), id);
  }
});

t.test("a chart that changed, or that nobody laid out, is not shown with another one's layout", (t) => {
  const chart = machineChart("harness");
  const [first, ...others] = chart.transitions;
  const changed = { ...chart, transitions: [{ ...first!, guard: "isNew" }, ...others] };
  t.equal(storedLayout(stored, changed), undefined);
  t.equal(storedLayout(stored, { ...chart, machine: "traffic" }), undefined);
  t.end();
});

t.test("a layout that is kept and read again is the same", (t) => {
  const laidOut = storedLayout(stored, machineChart("session"))!;
  const again = JSON.parse(JSON.stringify({ madeBy: "", layouts: { session: toStored(laidOut) } }));
  t.strictSame(storedLayout(again, machineChart("session")), laidOut);
  t.end();
});
