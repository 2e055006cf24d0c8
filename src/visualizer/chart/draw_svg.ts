/** Draws a chart as SVG. What is alive in it is a matter of classes: `active`, `taken`, `refused`. */
import type { ChartPoint, ChartState, ChartTransition, LaidOutChart, LaidOutEdge } from "./chart.ts";
import { escapeMarkup as escape } from "../../core/values.ts";
import {
  chartRowHeight,
  labelRowHeight,
  labelRows,
  textWidth,
  titleHeight,
  titleSize,
} from "./text_width.ts";
import { roundPixels } from "./placed_chart.ts";
import { fullTextOf, type StateRow, stateRows } from "./rows.ts";
import { chartStyle } from "./style.ts";

export interface SvgOptions {
  /** Ids of states. */
  active?: Iterable<string>;
  /** Ids of transitions. */
  taken?: Iterable<string>;
  /** Ids of transitions. */
  refused?: Iterable<string>;
  /** With its style in it: a file of its own. `true` is `chartStyle`; a text is a style instead of it. */
  standalone?: boolean | string;
}

interface Pen {
  laidOut: LaidOutChart;
  transitions: Map<string, ChartTransition>;
  active: Set<string>;
  taken: Set<string>;
  refused: Set<string>;
}

/** Space around the picture, in pixels. */
const frame = 6;

/** A whole `<svg>` element. States, lines and texts carry `data-state`, `data-transitions` and `data-transition`. */
export function drawSvg(laidOut: LaidOutChart, drawing: SvgOptions = {}): string {
  const { chart, width, height } = laidOut;
  const pen: Pen = {
    laidOut,
    transitions: new Map(chart.transitions.map((transition) => [transition.id, transition])),
    active: new Set(drawing.active),
    taken: new Set(drawing.taken),
    refused: new Set(drawing.refused),
  };
  const size = `width="${roundPixels(width + 2 * frame)}" height="${roundPixels(height + 2 * frame)}"`;
  const view = `viewBox="${-frame} ${-frame} ${roundPixels(width + 2 * frame)} ${
    roundPixels(height + 2 * frame)
  }"`;
  const style = drawing.standalone === true ? chartStyle : drawing.standalone || undefined;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" data-machine="${
      escape(chart.machine)
    }" ${size} ${view}>`,
    `<title>${escape(chart.machine)}</title>`,
    `<desc>${escape(chart.summary)}</desc>`,
    ...(style === undefined ? [] : [`<style>${style}</style>`]),
    ...drawStates(chart.root, undefined, pen),
    ...laidOut.initials.map(drawInitial),
    ...drawEdges(pen),
    ...laidOut.edges.map((edge, index) => drawLabels(edge, index, pen)),
    "</svg>",
    "",
  ].join("\n");
}

function* drawStates(state: ChartState, parent: ChartState | undefined, pen: Pen): Generator<string> {
  if (pen.laidOut.states[state.id] === undefined) return;
  yield drawState(state, parent, pen);
  for (const child of state.children) yield* drawStates(child, state, pen);
}

function drawState(state: ChartState, parent: ChartState | undefined, pen: Pen): string {
  const { x, y, width, height } = pen.laidOut.states[state.id]!;
  const folded = pen.laidOut.collapsed.includes(state.id);
  const outer = state.children.length > 0 && !folded;
  const classes = names("state", state.kind, {
    outer,
    level: outer && isLevel(state.id),
    folded,
    region: parent?.kind === "parallel",
    active: pen.active.has(state.id),
  });
  const rows = stateRows(state, pen.laidOut.chart);
  const name = folded && state.children.length > 0 ? `${state.key} …` : state.key;
  const left = outer ? freeOfLines(pen.laidOut, state.id, textWidth(name, titleSize)) : roundPixels(x + 11);
  const ruled = rows.length > 0 || outer;
  return [
    `<g class="${classes}" data-state="${escape(state.id)}">`,
    `<rect class="box" x="${x}" y="${y}" width="${width}" height="${height}" rx="8"/>`,
    ...(state.kind === "final"
      ? [
        `<rect class="inner" x="${x + 3}" y="${y + 3}" width="${width - 6}" height="${
          height - 6
        }" rx="5.5"/>`,
      ]
      : []),
    `<text class="name" x="${left}" y="${roundPixels(y + 18)}">${escape(name)}</text>`,
    ...(ruled ? [`<path class="rule" d="M${x} ${roundPixels(y + titleHeight)}h${width}"/>`] : []),
    ...rows.map((row, index) =>
      drawRow(row, { x: left, y: roundPixels(y + titleHeight + 15 + index * chartRowHeight) }, pen)
    ),
    "</g>",
  ].join("");
}

/**
 * Whether a state has the paper's background: every other level has, so that children stand out from their parent.
 */
const isLevel = (state: string): boolean => state.split(".").length % 2 === 1;

/** X at which the title of a compound state begins: to the right of any edge that runs down through the title. */
function freeOfLines({ states, edges }: LaidOutChart, id: string, width: number): number {
  const { x, y, width: room } = states[id]!;
  const down = edges.flatMap(({ points }) =>
    points.slice(1).flatMap((end, index) => {
      const start = points[index]!;
      const crosses = Math.min(start.y, end.y) <= y + 1 && Math.max(start.y, end.y) >= y + titleHeight;
      return start.x === end.x && crosses ? [start.x] : [];
    })
  ).sort((one, other) => one - other);
  let left = x + 11;
  for (const line of down) if (line > left - 5 && line < left + width + 5) left = line + 9;
  return roundPixels(left + width < x + room ? left : x + 11);
}

function drawRow(row: StateRow, at: ChartPoint, pen: Pen): string {
  const transition = row.transition === undefined ? undefined : pen.transitions.get(row.transition);
  const classes = names("row", transition?.kind ?? row.kind, litBy(row.transition, pen));
  const data = row.transition === undefined ? "" : ` data-transition="${escape(row.transition)}"`;
  const isWork = row.kind === "invoke";
  const glyph = isWork ? `<path class="work" d="M${at.x} ${roundPixels(at.y - 8)}l7 4l-7 4z"/>` : "";
  const title = row.full === row.text ? "" : `<title>${escape(row.full)}</title>`;
  return `${glyph}<text class="${classes}"${data} x="${roundPixels(at.x + (isWork ? 12 : 0))}" y="${at.y}">${
    escape(row.text)
  }${title}</text>`;
}

const litBy = (id: string | undefined, { taken, refused }: Pen): Record<string, boolean> => ({
  taken: id !== undefined && taken.has(id),
  refused: id !== undefined && refused.has(id),
});

function drawInitial({ state, points }: { state: string; points: ChartPoint[] }): string {
  const { x, y } = dotOf(points);
  return `<g class="initial" data-initial="${escape(state)}"><circle class="dot" cx="${x}" cy="${y}" r="5"/>${
    drawLine(points)
  }</g>`;
}

/** The middle of the dot whose edge the line leaves. */
function dotOf([first, second]: ChartPoint[]): ChartPoint {
  const across = second!.x - first!.x;
  const down = second!.y - first!.y;
  return { x: roundPixels(first!.x - 5 * Math.sign(across)), y: roundPixels(first!.y - 5 * Math.sign(down)) };
}

const drawLine = (points: ChartPoint[]): string =>
  `<path class="line" d="${roundedPath(points)}"/><path class="head" d="${arrowHead(points)}"/>`;

/** Edges may share a part of their route: highlighted ones are drawn last, on top. */
function drawEdges(pen: Pen): string[] {
  const isLit = ({ transitions }: LaidOutEdge): boolean =>
    transitions.some((id) => pen.taken.has(id) || pen.refused.has(id));
  const edges = [...pen.laidOut.edges.entries()];
  return [...edges.filter(([, edge]) => !isLit(edge)), ...edges.filter(([, edge]) => isLit(edge))]
    .map(([index, edge]) => drawEdge(edge, index, pen));
}

function drawEdge({ points, transitions }: LaidOutEdge, index: number, pen: Pen): string {
  const classes = names("edge", {
    taken: transitions.some((id) => pen.taken.has(id)),
    refused: transitions.some((id) => pen.refused.has(id)),
  });
  const data = `data-edge="${index}" data-transitions="${escape(transitions.join(" "))}"`;
  return `<g class="${classes}" ${data}>${drawLine(points)}</g>`;
}

/** Labels come after all lines, so that no line crosses a text. */
function drawLabels(edge: LaidOutEdge, index: number, pen: Pen): string {
  const { x, y, width, height } = edge.label;
  const around = edge.source.slice(0, edge.source.lastIndexOf("."));
  return [
    `<g class="labels" data-labels="${index}">`,
    `<rect class="${
      names("pill", { level: isLevel(around) })
    }" x="${x}" y="${y}" width="${width}" height="${height}" rx="4"/>`,
    ...edge.transitions.map((_, index) => drawLabel(edge, index, pen)),
    "</g>",
  ].join("");
}

/** The text of one of the transitions that share a line; its guard may stand in a row of its own. */
function drawLabel({ label, transitions }: LaidOutEdge, index: number, pen: Pen): string {
  const transition = pen.transitions.get(transitions[index]!)!;
  const classes = names("label", transition.kind, litBy(transition.id, pen));
  const above = labelRows(label.lines.slice(0, index)).length;
  const middle = roundPixels(label.x + label.width / 2);
  const rows = labelRows([label.lines[index]!]).map((text, row) =>
    `<tspan x="${middle}" y="${roundPixels(label.y + 13 + (above + row) * labelRowHeight)}"${
      row === 0 ? "" : ` class="guard"`
    }>${escape(text)}</tspan>`
  );
  return `<text class="${classes}" data-transition="${escape(transition.id)}">${rows.join("")}<title>${
    escape(fullTextOf(transition))
  }</title></text>`;
}

/** Class names: plain ones, and those that hold. */
function names(...parts: (string | Record<string, boolean>)[]): string {
  return parts.flatMap((part) =>
    typeof part === "string" ? [part] : Object.keys(part).filter((name) => part[name])
  ).join(" ");
}

const radius = 6;

const headLength = 7;

const headWidth = 7;

/** A line through all points, its corners rounded, its end behind the arrow head. */
function roundedPath(points: ChartPoint[]): string {
  const first = points[0]!;
  const last = points[points.length - 1]!;
  const end = towards(last, points[points.length - 2]!, headLength);
  let path = `M${first.x} ${first.y}`;
  for (let index = 1; index < points.length - 1; index++) {
    const corner = points[index]!;
    const before = towards(corner, points[index - 1]!, radius);
    const after = towards(corner, points[index + 1]!, radius);
    path += `L${before.x} ${before.y}Q${corner.x} ${corner.y} ${after.x} ${after.y}`;
  }
  return `${path}L${end.x} ${end.y}`;
}

/** A triangle at the end of a line. */
function arrowHead(points: ChartPoint[]): string {
  const tip = points[points.length - 1]!;
  const base = towards(tip, points[points.length - 2]!, headLength);
  const length = distance(tip, base) || 1;
  const aside = {
    x: ((tip.y - base.y) / length) * (headWidth / 2),
    y: ((base.x - tip.x) / length) * (headWidth / 2),
  };
  return `M${tip.x} ${tip.y}L${roundPixels(base.x + aside.x)} ${roundPixels(base.y + aside.y)}L${
    roundPixels(base.x - aside.x)
  } ${roundPixels(base.y - aside.y)}Z`;
}

/** The point so many pixels from one point towards another, at most half of the way. */
function towards(from: ChartPoint, to: ChartPoint, pixels: number): ChartPoint {
  const length = distance(from, to);
  const part = length === 0 ? 0 : Math.min(pixels / length, 0.5);
  return { x: roundPixels(from.x + (to.x - from.x) * part), y: roundPixels(from.y + (to.y - from.y) * part) };
}

const distance = (one: ChartPoint, other: ChartPoint): number => Math.hypot(one.x - other.x, one.y - other.y);
