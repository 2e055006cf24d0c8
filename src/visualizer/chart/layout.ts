/**
 * Places for all states and lines of a chart.
 *
 * From the inside out: each state is laid out by itself, in the direction that suits it, and is one box for the state around
 * it. That keeps large charts compact. Regions without lines through their borders are packed into a grid.
 */
import type { ELK } from "elkjs/lib/elk-api.js";
import type { Chart, ChartState, Direction, LaidOutChart } from "./chart.ts";
import { groupBy } from "../../core/values.ts";
import { isInside, statesOf } from "./graph.ts";
import { elkGraphOf, type Level, margin, piecesIn } from "./level.ts";
import { type Line, linesOf, outermost } from "./lines.ts";
import { rowHeight, rowSize, titleHeight, titleSize, widest } from "./measure.ts";
import { pack } from "./pack.ts";
import { emptyPlaced, misfit, type Placed, putInto, round } from "./placed.ts";
import { readLevel } from "./read_level.ts";
import { rowsOf, shortLabelOf } from "./rows.ts";

export interface LayoutOptions {
  /** Ids of states to draw without their children. */
  collapsed?: string[];
  /** Those of another layout of this chart: they are kept, so that what was folded is all that changes. */
  directions?: LaidOutChart["directions"] | undefined;
}

interface Layout {
  chart: Chart;
  lines: Line[];
  collapsed: Set<string>;
  elk: ELK;
  textsOf: (line: Line) => string[];
  /** Of the states that were laid out; one that is given is kept. */
  directions: Map<string, Direction>;
  /** What was laid out before, by the state and the directions in it. */
  known: Map<string, Placed>;
}

type Header = Level["header"];

const gap = 10;
const directions: Direction[] = ["DOWN", "RIGHT"];

/** The same chart is laid out the same way each time. */
export async function layOut(chart: Chart, options: LayoutOptions = {}): Promise<LaidOutChart> {
  const collapsed = outermost(options.collapsed ?? []);
  const byId = new Map(chart.transitions.map((transition) => [transition.id, transition]));
  const layout: Layout = {
    chart,
    lines: linesOf(chart, collapsed),
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
 * What suits a state by itself may not suit the whole: turns each state around once, together with those that look like
 * it, and keeps what fits better.
 */
async function turnedToFit(placed: Placed, layout: Layout): Promise<{ placed: Placed; layout: Layout }> {
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
    if (misfit(other) < misfit(best.placed)) best = { placed: other, layout: turned };
  }
  return best;
}

/** The directions with some states turned around; what is around these is free to be laid out anew. */
function turn(states: string[], directions: Map<string, Direction>): Map<string, Direction> {
  const direction = opposite(directions.get(states[0]!)!);
  return new Map(
    [...directions]
      .filter(([other]) => states.includes(other) || !states.some((state) => isInside(state, other)))
      .map(([other, own]) => [other, states.includes(other) ? direction : own]),
  );
}

const opposite = (direction: Direction): Direction => direction === "DOWN" ? "RIGHT" : "DOWN";

let elk: Promise<ELK> | undefined;

/** ELK is large: it is read when something is laid out, once. Its types hide that its default export is a class. */
async function newElk(): Promise<ELK> {
  const bundled: unknown = await import("elkjs/lib/elk.bundled.js");
  const { default: Elk } = bundled as { default: new () => ELK };
  return new Elk();
}

/** As laid out before, where nothing in it was turned since. */
async function place(state: ChartState, layout: Layout): Promise<Placed> {
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

async function placeAnew(state: ChartState, layout: Layout): Promise<Placed> {
  const header = headerOf(state, layout);
  if (state.children.length === 0 || layout.collapsed.has(state.id)) return box(state, header);
  const children: Level["children"] = [];
  for (const child of state.children) children.push({ state: child, placed: await place(child, layout) });
  const pieces = piecesIn(state, layout.lines, layout.textsOf);
  const entered = layout.chart.transitions.filter(({ source }) => source === state.id)
    .flatMap(({ targets }) => targets.filter((target) => state.children.some(({ id }) => id === target)));
  const level: Level = { state, header, children, pieces, entered };
  if (state.kind === "parallel" && pieces.length === 0) return placeRegions(level);
  return await placeLevel(level, layout);
}

/** In the direction that is asked for, or else in the one that fits better. */
async function placeLevel(level: Level, layout: Layout): Promise<Placed> {
  const asked = layout.directions.get(level.state.id);
  let best: { direction: Direction; placed: Placed } | undefined;
  for (const direction of asked === undefined ? directions : [asked]) {
    const answer = await layout.elk.layout(elkGraphOf(level, direction));
    const placed = readLevel(answer, level, layout.lines);
    if (best === undefined || misfit(placed) < misfit(best.placed)) best = { direction, placed };
  }
  layout.directions.set(level.state.id, best!.direction);
  return best!.placed;
}

/** Room for the name of a state and its rows. */
function headerOf(state: ChartState, { chart }: Layout): Header {
  const rows = rowsOf(state, chart).map(({ kind, text }) => kind === "invoke" ? `  ${text}` : text);
  return {
    width: Math.max(90, widest([state.key], titleSize) + 24, widest(rows, rowSize) + 20),
    height: titleHeight +
      (rows.length === 0 ? 0 : rows.length * rowHeight + (state.kind === "final" ? 9 : 6)),
  };
}

function box(state: ChartState, { width, height }: Header): Placed {
  const placed = emptyPlaced(width, height);
  placed.states.set(state.id, { x: 0, y: 0, width, height });
  return placed;
}

function placeRegions({ state, header, children }: Level): Placed {
  const packing = pack(children.map(({ placed }) => placed), gap);
  const width = Math.max(header.width, packing.width + 2 * margin);
  const whole = box(state, { width, height: header.height + packing.height + 2 * margin });
  for (const [index, { state: region, placed }] of children.entries()) {
    const { x, y, width, height } = packing.boxes[index]!;
    const corner = { x: x + margin, y: y + header.height + margin };
    putInto(whole, placed, corner);
    whole.states.set(region.id, {
      x: round(corner.x),
      y: round(corner.y),
      width: round(width),
      height: round(height),
    });
  }
  return whole;
}
