import t from "tap";
import { panelWidth } from "../../../../../src/visualizer/page/panels/panels.ts";

t.test("a panel is as wide as it is dragged, and leaves room for the view", (t) => {
  t.equal(panelWidth(300.4, 1280), 300);
  t.equal(panelWidth(1200, 1280), 576);
  t.end();
});

t.test("a panel that is too narrow to be read is as wide as has to be, or hidden", (t) => {
  t.equal(panelWidth(120, 1280), 160);
  t.equal(panelWidth(79, 1280), 0);
  t.equal(panelWidth(-5, 1280), 0, "dragged out of the window");
  t.equal(panelWidth(NaN, 1280), 0, "what the browser kept is no number");
  t.equal(panelWidth(300, 320), 160, "however narrow the window");
  t.end();
});
