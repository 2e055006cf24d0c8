import t from "tap";
import { machineChart, machineIds } from "../../../../src/visualizer/chart/machine_chart.ts";
import { layOutChart } from "../../../../src/visualizer/chart/lay_out_chart.ts";
import {
  readStoredLayouts,
  storedLayout,
  toStored,
} from "../../../../src/visualizer/chart/stored_layouts.ts";

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
