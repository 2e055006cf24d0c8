/**
 * Places for all states and lines of a chart.
 *
 * From the inside out: each state is laid out by itself, in the direction that suits it, and is one box for the state around
 * it. That keeps large charts compact. Regions without lines through their borders are packed into a grid.
 */
import type { ELK } from "elkjs/lib/elk-api.js";
import type { Chart, ChartState, LaidOutChart, LayoutDirection } from "./chart.ts";
import { groupBy } from "../../core/values.ts";
import { type ChartEdge, edgesOf, isInside, outermost, statesOf } from "./chart_of.ts";
import { boxMargin, elkGraphOf, type LayoutLevel, piecesIn } from "./layout_level.ts";
import { chartRowHeight, rowSize, titleHeight, titleSize, widestText } from "./text_width.ts";
import { packBoxes } from "./pack_boxes.ts";
import { emptyPlaced, layoutMisfit, placeChild, type PlacedChart, roundPixels } from "./placed_chart.ts";
import { readLevel } from "./read_level.ts";
import { shortLabelOf, stateRows } from "./rows.ts";

export interface LayoutOptions {
  /** Ids of states to draw without their children. */
  collapsed?: string[];
  /** Directions of another layout of this chart. They are kept, so that only the folded states change. */
  directions?: LaidOutChart["directions"] | undefined;
}

interface Layout {
  chart: Chart;
  lines: ChartEdge[];
  collapsed: Set<string>;
  elk: ELK;
  textsOf: (line: ChartEdge) => string[];
  /** Directions of the states laid out so far; a direction that was given is not changed. */
  directions: Map<string, LayoutDirection>;
  /** Layouts made so far, by state and the directions inside it. */
  known: Map<string, PlacedChart>;
}

type Header = LayoutLevel["header"];

const gap = 10;
const directions: LayoutDirection[] = ["DOWN", "RIGHT"];

/** The same chart is laid out the same way each time. */
export async function layOutChart(chart: Chart, options: LayoutOptions = {}): Promise<LaidOutChart> {
  const collapsed = outermost(options.collapsed ?? []);
  const byId = new Map(chart.transitions.map((transition) => [transition.id, transition]));
  const layout: Layout = {
    chart,
    lines: edgesOf(chart, collapsed),
    collapsed: new Set(collapsed),
    elk: await (elk ??= newElk()),
    textsOf: (line) => line.transitions.map((id) => shortLabelOf(byId.get(id)!)),
    directions: new Map(Object.entries(options.directions ?? {})),
    known: new Map(),
  };
  const placed = await place(chart.root, layout);
  const best = options.directions === undefined ? await turnedToFit(placed, layout) : { placed, layout };
  const { width, height, states, edges, initials } = best.placed;
  return {
    chart,
    width,
    height,
    states: Object.fromEntries(states),
    edges,
    initials,
    collapsed,
    directions: Object.fromEntries(best.layout.directions),
  };
}

/**
 * Turns each state once, together with states of the same children, and keeps the turn if the whole chart then fits
 * better: the best direction of a state by itself need not be the best one for the chart.
 */
async function turnedToFit(
  placed: PlacedChart,
  layout: Layout,
): Promise<{ placed: PlacedChart; layout: Layout }> {
  const { root } = layout.chart;
  let best = { placed, layout };
  const twins = groupBy(
    [...statesOf(root)].reverse().filter(({ id }) => id !== root.id && layout.directions.has(id)),
    ({ children }) => children.map(({ key }) => key).join(" "),
  );
  for (const states of twins.values()) {
    const turned = {
      ...layout,
      directions: turn(states.map(({ id }) => id), best.layout.directions),
    };
    const other = await place(root, turned);
    if (layoutMisfit(other) < layoutMisfit(best.placed)) best = { placed: other, layout: turned };
  }
  return best;
}

/** The directions with some states turned; the states around these may be laid out in any direction. */
function turn(states: string[], directions: Map<string, LayoutDirection>): Map<string, LayoutDirection> {
  const direction = opposite(directions.get(states[0]!)!);
  return new Map(
    [...directions]
      .filter(([other]) => states.includes(other) || !states.some((state) => isInside(state, other)))
      .map(([other, own]) => [other, states.includes(other) ? direction : own]),
  );
}

const opposite = (direction: LayoutDirection): LayoutDirection => direction === "DOWN" ? "RIGHT" : "DOWN";

let elk: Promise<ELK> | undefined;

/** ELK is large: it is read when something is laid out, once. Its types hide that its default export is a class. */
async function newElk(): Promise<ELK> {
  const bundled: unknown = await import("elkjs/lib/elk.bundled.js");
  const { default: Elk } = bundled as { default: new () => ELK };
  return new Elk();
}

/** Lays out a state, or returns the earlier layout if no direction inside it has changed. */
async function place(state: ChartState, layout: Layout): Promise<PlacedChart> {
  const before = layout.known.get(nameOf(state, layout));
  if (before !== undefined) return before;
  const placed = await placeAnew(state, layout);
  layout.known.set(nameOf(state, layout), placed);
  return placed;
}

const nameOf = ({ id }: ChartState, { directions }: Layout): string =>
  [id, ...[...directions].filter(([other]) => other === id || isInside(other, id)).map(String).sort()].join(
    " ",
  );

async function placeAnew(state: ChartState, layout: Layout): Promise<PlacedChart> {
  const header = headerOf(state, layout);
  if (state.children.length === 0 || layout.collapsed.has(state.id)) return box(state, header);
  const children: LayoutLevel["children"] = [];
  for (const child of state.children) children.push({ state: child, placed: await place(child, layout) });
  const pieces = piecesIn(state, layout.lines, layout.textsOf);
  const entered = layout.chart.transitions.filter(({ source }) => source === state.id)
    .flatMap(({ targets }) => targets.filter((target) => state.children.some(({ id }) => id === target)));
  const level: LayoutLevel = { state, header, children, pieces, entered };
  if (state.kind === "parallel" && pieces.length === 0) return placeRegions(level);
  return await placeLevel(level, layout);
}

/** In the direction that is asked for, or else in the one that fits better. */
async function placeLevel(level: LayoutLevel, layout: Layout): Promise<PlacedChart> {
  const asked = layout.directions.get(level.state.id);
  let best: { direction: LayoutDirection; placed: PlacedChart } | undefined;
  for (const direction of asked === undefined ? directions : [asked]) {
    const answer = await layout.elk.layout(elkGraphOf(level, direction));
    const placed = readLevel(answer, level, layout.lines);
    if (best === undefined || layoutMisfit(placed) < layoutMisfit(best.placed)) best = { direction, placed };
  }
  layout.directions.set(level.state.id, best!.direction);
  return best!.placed;
}

/** Room for the name of a state and its rows. */
function headerOf(state: ChartState, { chart }: Layout): Header {
  const rows = stateRows(state, chart).map(({ kind, text }) => kind === "invoke" ? `  ${text}` : text);
  return {
    width: Math.max(90, widestText([state.key], titleSize) + 24, widestText(rows, rowSize) + 20),
    height: titleHeight +
      (rows.length === 0 ? 0 : rows.length * chartRowHeight + (state.kind === "final" ? 9 : 6)),
  };
}

function box(state: ChartState, { width, height }: Header): PlacedChart {
  const placed = emptyPlaced(width, height);
  placed.states.set(state.id, { x: 0, y: 0, width, height });
  return placed;
}

function placeRegions({ state, header, children }: LayoutLevel): PlacedChart {
  const packing = packBoxes(children.map(({ placed }) => placed), gap);
  const width = Math.max(header.width, packing.width + 2 * boxMargin);
  const whole = box(state, { width, height: header.height + packing.height + 2 * boxMargin });
  for (const [index, { state: region, placed }] of children.entries()) {
    const { x, y, width, height } = packing.boxes[index]!;
    const corner = { x: x + boxMargin, y: y + header.height + boxMargin };
    placeChild(whole, placed, corner);
    whole.states.set(region.id, {
      x: roundPixels(corner.x),
      y: roundPixels(corner.y),
      width: roundPixels(width),
      height: roundPixels(height),
    });
  }
  return whole;
}
