import t from "tap";
import { chartStyle } from "../../../../../src/visualizer/chart/style.ts";
import type { ChartDrawing } from "../../../../../src/visualizer/page/chart/chart_drawing.ts";
import { highlightedIds, inTheme } from "../../../../../src/visualizer/page/chart/save_png.ts";

const box = { x: 0, y: 0, width: 1, height: 1 };
const drawing = {
  machine: "pool",
  collapsed: ["pool.serving"],
  svg: "",
  laidOut: { states: { pool: box, "pool.serving": box } },
} as unknown as ChartDrawing;

t.test("a saved picture is lit as the page's is, folds too", (t) => {
  const refusal = {
    position: 3,
    event: "lease.requested",
    transition: "pool.serving|lease.requested|0",
    guard: "g",
  };
  const facts = highlightedIds(drawing, {
    actor: "x:1",
    id: "pool",
    machine: "pool",
    position: 5,
    live: false,
    value: { serving: "busy" },
    status: "active",
    taken: ["pool|a|0", "pool|b|0"],
    refused: [refusal],
  });
  t.same(facts, {
    active: "pool,pool.serving",
    taken: "pool|a|0,pool|b|0",
    refused: refusal.transition,
    collapsed: "pool.serving",
  });
  t.end();
});

t.test("without a session nothing is lit", (t) => {
  t.same(highlightedIds(drawing, undefined), {
    active: "",
    taken: "",
    refused: "",
    collapsed: "pool.serving",
  });
  t.end();
});

t.test("a PNG has the page's theme, whatever the system's is", (t) => {
  t.match(chartStyle, "prefers-color-scheme: dark", "else this would change nothing");
  t.notMatch(inTheme(chartStyle, true), "prefers-color-scheme");
  t.match(inTheme(chartStyle, true), "@media all {");
  t.match(inTheme(chartStyle, false), "@media not all {");
  t.end();
});
