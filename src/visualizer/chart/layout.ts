/**
 * Places for all states and lines of a chart.
 *
 * Whatever no line leaves is laid out by itself and then treated as one box: that keeps large charts compact, and regions
 * without lines between them can be packed into a grid. Where lines cross levels, the levels are laid out together.
 */
import type { ELK } from "elkjs/lib/elk-api.js";
import type { Chart, ChartState, LaidOutChart } from "./chart.ts";
import { type Direction, elkGraphOf, labelSize, margin, type Part, readPlaced } from "./elk_graph.ts";
import { isInside } from "./graph.ts";
import { type Line, linesOf, outermost } from "./lines.ts";
import { rowHeight, rowSize, titleHeight, titleSize, widest } from "./measure.ts";
import { pack } from "./pack.ts";
import { misfit, type Placed, putInto } from "./placed.ts";
import { rowsOf, shortLabelOf } from "./rows.ts";

export interface LayoutOptions {
  /** Ids of states to draw without their children. */
  collapsed?: string[];
}

interface Layout {
  chart: Chart;
  lines: Line[];
  collapsed: Set<string>;
  elk: ELK;
  textsOf: (line: Line) => string[];
}

const gap = 12;

/** The same chart is laid out the same way each time. */
export async function layOut(chart: Chart, options: LayoutOptions = {}): Promise<LaidOutChart> {
  const collapsed = outermost(options.collapsed ?? []);
  const byId = new Map(chart.transitions.map((transition) => [transition.id, transition]));
  const layout: Layout = {
    chart,
    lines: linesOf(chart, collapsed),
    collapsed: new Set(collapsed),
    elk: await newElk(),
    textsOf: (line) => line.transitions.map((id) => shortLabelOf(byId.get(id)!)),
  };
  const { width, height, states, edges, initials } = await place(chart.root, layout);
  return { chart, width, height, states: Object.fromEntries(states), edges, initials, collapsed };
}

/** ELK is large: it is read when something is laid out. Its types hide that its default export is a class. */
async function newElk(): Promise<ELK> {
  const bundled: unknown = await import("elkjs/lib/elk.bundled.js");
  const { default: Elk } = bundled as { default: new () => ELK };
  return new Elk();
}

async function place(state: ChartState, layout: Layout): Promise<Placed> {
  const header = headerOf(state, layout);
  if (childrenOf(state, layout).length === 0) return asBox(state.id, header);
  const areApart = !layout.lines.some(({ source, target }) =>
    isInside(source, state.id) && childWith(state, source) !== childWith(state, target)
  );
  if (state.kind === "parallel" && areApart) return await placeRegions(state, header, layout);
  const part = await partOf(state, layout, true);
  const lines = layout.lines.filter(({ source }) => isInside(source, state.id) && !isPlaced(part, source));
  return await placeTogether(part, lines, layout);
}

const asBox = (id: string, { width, height }: Part["header"]): Placed => ({
  width,
  height,
  states: new Map([[id, { x: 0, y: 0, width, height }]]),
  edges: [],
  initials: [],
});

const childrenOf = (state: ChartState, { collapsed }: Layout): ChartState[] =>
  collapsed.has(state.id) ? [] : state.children;

const childWith = (state: ChartState, id: string): ChartState | undefined =>
  state.children.find((child) => child.id === id || isInside(id, child.id));

/** Room for the name of a state and its rows. */
function headerOf(state: ChartState, { chart }: Layout): { width: number; height: number } {
  const rows = rowsOf(state, chart).map(({ kind, text }) => kind === "invoke" ? `  ${text}` : text);
  return {
    width: Math.max(90, widest([state.key], titleSize) + 24, widest(rows, rowSize) + 20),
    height: titleHeight + (rows.length === 0 ? 0 : rows.length * rowHeight + 6),
  };
}

async function placeRegions(state: ChartState, header: Part["header"], layout: Layout): Promise<Placed> {
  const regions: Placed[] = [];
  for (const child of state.children) regions.push(await place(child, layout));
  const packing = pack(regions, gap);
  const width = Math.max(header.width, packing.width + 2 * margin);
  const whole = asBox(state.id, { width, height: header.height + packing.height + 2 * margin });
  for (const [index, region] of regions.entries()) {
    const { x, y, width, height } = packing.boxes[index]!;
    region.states.set(state.children[index]!.id, { x: 0, y: 0, width, height });
    putInto(whole, region, { x: x + margin, y: y + header.height + margin });
  }
  return whole;
}

async function partOf(state: ChartState, layout: Layout, opened = false): Promise<Part> {
  const header = headerOf(state, layout);
  const crossing = layout.lines.some(({ source, target }) =>
    isInside(source, state.id) !== isInside(target, state.id) && source !== state.id && target !== state.id
  );
  const children = childrenOf(state, layout);
  if (!opened && (!crossing || children.length === 0)) {
    return { state, header, placed: await place(state, layout), parts: [] };
  }
  const parts: Part[] = [];
  for (const child of children) parts.push(await partOf(child, layout));
  return { state, header, parts };
}

/** True for a state whose place in an inner part is settled. */
const isPlaced = (part: Part, id: string): boolean =>
  part.placed === undefined
    ? part.parts.some((child) => isPlaced(child, id))
    : isInside(id, part.state.id) && part.placed.states.has(id);

async function placeTogether(part: Part, lines: Line[], layout: Layout): Promise<Placed> {
  const candidates: Placed[] = [];
  for (const direction of ["DOWN", "RIGHT"] satisfies Direction[]) {
    const graph = elkGraphOf(part, lines, direction);
    for (const [index, edge] of graph.edges!.entries()) {
      const texts = layout.textsOf(lines[index]!);
      edge.labels = [{
        text: texts.join("\n"),
        ...labelSize(texts),
        layoutOptions: { "elk.edgeLabels.inline": "true" },
      }];
    }
    candidates.push(readPlaced(await layout.elk.layout(graph), part, lines, layout.textsOf));
  }
  return candidates.reduce((best, one) => misfit(one) < misfit(best) ? one : best);
}
