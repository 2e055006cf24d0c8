/**
 * Reads ELK's layout of one level and puts the children, which were laid out before, where ELK placed their boxes.
 */
import type { ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api.js";
import type { Box, ChartPoint, LaidOutEdge } from "./chart.ts";
import { type EdgeSegment, isOwnPort, type LayoutLevel } from "./layout_level.ts";
import {
  type EdgeEnd,
  emptyPlaced,
  movedPoint,
  placeChild,
  type PlacedChart,
  roundPixels,
} from "./placed_chart.ts";
import type { ChartEdge } from "./chart_of.ts";
import { labelSize } from "./text_width.ts";

/** @param answer ELK's, to `elkGraphOf(level)`. */
export function readLevel(answer: ElkNode, level: LayoutLevel, lines: ChartEdge[]): PlacedChart {
  const node = answer.children![0]!;
  const back = { x: -node.x!, y: -node.y! };
  const whole = emptyPlaced(roundPixels(node.width!), roundPixels(node.height!));
  whole.states.set(level.state.id, { x: 0, y: 0, width: whole.width, height: whole.height });
  for (const port of node.ports ?? []) whole.ports.set(port.id, movedPoint({ x: port.x!, y: port.y! }, back));
  const corners = placeChildren(node, back, level, whole);
  for (const edge of allEdges(answer)) {
    const own = readEdge(edge, back);
    if (edge.id === "dot") whole.initials.push({ state: edge.targets[0]!, points: own.points });
    const piece = level.pieces[Number(edge.id)];
    for (const number of piece?.lines ?? []) {
      const end = joined(number, piece!, own, level, corners);
      if (isOpen(piece!, level)) whole.ends.set(number, end);
      else whole.edges.push(wholeEdge(lines[number]!, end, whole));
    }
  }
  return whole;
}

function wholeEdge(line: ChartEdge, { points, label }: EdgeEnd, { states }: PlacedChart): LaidOutEdge {
  const [from, to] = [states.get(line.source)!, states.get(line.target)!];
  return { ...line, points: withoutSwerves(points, from, to), label: label! };
}

/** Places all children, and returns the corner of each. */
function placeChildren(
  node: ElkNode,
  back: ChartPoint,
  level: LayoutLevel,
  whole: PlacedChart,
): Map<string, ChartPoint> {
  const corners = new Map<string, ChartPoint>();
  for (const { state, placed } of level.children) {
    const box = node.children!.find(({ id }) => id === state.id)!;
    const corner = movedPoint({ x: box.x!, y: box.y! }, back);
    corners.set(state.id, corner);
    placeChild(whole, placed, corner);
  }
  return corners;
}

const allEdges = (node: ElkNode): ElkExtendedEdge[] => [
  ...node.edges ?? [],
  ...(node.children ?? []).flatMap(allEdges),
];

function readEdge(edge: ElkExtendedEdge, back: ChartPoint): EdgeEnd {
  const points = (edge.sections ?? [])
    .flatMap(({ startPoint, bendPoints, endPoint }) => [startPoint, ...(bendPoints ?? []), endPoint])
    .map((point) => movedPoint(point, back));
  const label = edge.labels?.[0];
  if (label === undefined) return { points };
  const texts = label.text!.split("\v");
  return {
    points,
    label: { ...movedPoint({ x: label.x!, y: label.y! }, back), ...labelSize(texts), lines: texts },
  };
}

/** A line goes on beyond the level's border. */
const isOpen = ({ from, to }: EdgeSegment, level: LayoutLevel): boolean =>
  isOwnPort(from, level) || isOwnPort(to, level);

/** Joins the parts of an edge: inside the box where it starts, in this level, and inside the box where it ends. */
function joined(
  number: number,
  piece: EdgeSegment,
  own: EdgeEnd,
  level: LayoutLevel,
  corners: Map<string, ChartPoint>,
): EdgeEnd {
  const within = (end: string): EdgeEnd | undefined => {
    const child = level.children.find(({ placed }) => placed.ports.has(end));
    const inner = child?.placed.ends.get(number);
    return child && inner && movedEnd(inner, corners.get(child.state.id)!);
  };
  const before = within(piece.from);
  const after = within(piece.to);
  const label: LaidOutEdge["label"] | undefined = before?.label ?? own.label;
  const points = straightened([...before?.points ?? [], ...own.points, ...after?.points ?? []]);
  return { points, ...(label && { label }) };
}

const movedEnd = ({ points, label }: EdgeEnd, by: ChartPoint): EdgeEnd => ({
  points: points.map((point) => movedPoint(point, by)),
  ...(label && { label: { ...label, ...movedPoint(label, by) } }),
});

/** Without points that are no corners. */
function straightened(points: ChartPoint[]): ChartPoint[] {
  const near = (one: number, other: number): boolean => Math.abs(one - other) < 0.3;
  const kept: ChartPoint[] = [];
  for (const point of points) {
    const last = kept[kept.length - 1];
    const before = kept[kept.length - 2];
    if (last && near(last.x, point.x) && near(last.y, point.y)) continue;
    const straight = before && last &&
      ((near(before.x, last.x) && near(last.x, point.x)) ||
        (near(before.y, last.y) && near(last.y, point.y)));
    if (straight) kept.pop();
    kept.push(point);
  }
  return kept;
}

/** Less than this, in pixels, looks like a mistake where a line begins or ends. */
const leastSwerve = 4.5;
/** Ends keep this far from the round corners of boxes. */
const corner = 8;

/** Removes small bends at the ends of an edge by moving the end, or the rest of the edge, by a few pixels. */
export const withoutSwerves = (points: ChartPoint[], from: Box, to: Box): ChartPoint[] =>
  straightStart(straightStart(points, from, to).reverse(), to, from).reverse();

function straightStart(points: ChartPoint[], box: Box, other: Box): ChartPoint[] {
  const [start, bend, next, after, ...rest] = points;
  if (after === undefined) return points;
  const by = { x: next!.x - bend!.x, y: next!.y - bend!.y };
  if (Math.hypot(by.x, by.y) >= leastSwerve) return points;
  const end = movedPoint(start!, by);
  if (isOnSide(end, by, box)) return [end, after, ...rest];
  // No room next to the corner of the box: the rest of the line moves instead, up to its next bend or its other end.
  const met = movedPoint(after, { x: -by.x, y: -by.y });
  return rest.length > 0 || isOnSide(met, by, other) ? [start!, met, ...rest] : points;
}

/** Whether an end that moved along its border keeps away from the corners. */
const isOnSide = (end: ChartPoint, by: ChartPoint, box: Box): boolean =>
  by.x === 0
    ? end.y >= box.y + corner && end.y <= box.y + box.height - corner
    : end.x >= box.x + corner && end.x <= box.x + box.width - corner;
