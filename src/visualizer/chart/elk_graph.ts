/** ELK's view of a state: what it lays out, and what came of it. */
import type { ElkExtendedEdge, ElkNode, LayoutOptions } from "elkjs/lib/elk-api.js";
import type { ChartState, LaidOutEdge, Point } from "./chart.ts";
import type { Line } from "./lines.ts";
import { rowHeight, rowSize, widest } from "./measure.ts";
import { type Placed, putInto, round } from "./placed.ts";

export type Direction = "DOWN" | "RIGHT";

/** A state as ELK is to see it: laid out before and only to be placed, or to be laid out with what is around it. */
export interface Part {
  state: ChartState;
  /** Space that its own texts need at its top. */
  header: { width: number; height: number };
  placed?: Placed;
  parts: Part[];
}

const dotSize = 10;
export const margin = 14;
const dotOf = (state: string): string => `${state}#initial`;

const options: LayoutOptions = {
  "elk.algorithm": "layered",
  "elk.hierarchyHandling": "INCLUDE_CHILDREN",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.randomSeed": "1",
  "elk.json.edgeCoords": "ROOT",
  "elk.json.shapeCoords": "ROOT",
  "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
  "elk.layered.cycleBreaking.strategy": "DEPTH_FIRST",
  "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
};

const spacing: LayoutOptions = {
  "elk.spacing.nodeNode": "22",
  "elk.spacing.edgeNode": "14",
  "elk.spacing.edgeEdge": "10",
  "elk.spacing.edgeLabel": "4",
  "elk.layered.spacing.nodeNodeBetweenLayers": "20",
  "elk.layered.spacing.edgeNodeBetweenLayers": "12",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "9",
};

/** The graph of one state and of those lines that have both ends in it. */
export function elkGraphOf(root: Part, lines: Line[], direction: Direction): ElkNode {
  const edges = lines.map((line, index): ElkExtendedEdge => ({
    id: String(index),
    sources: [line.source],
    targets: [line.target],
  }));
  return {
    id: "",
    children: [nodeOf(root, direction)],
    edges,
    layoutOptions: { ...options, "elk.direction": direction },
  };
}

function nodeOf(part: Part, direction: Direction): ElkNode {
  const { state, header, placed, parts } = part;
  if (placed !== undefined) return { id: state.id, width: placed.width, height: placed.height };
  const children = parts.map((child) => nodeOf(child, direction));
  const first = state.children.find(({ key }) => key === state.initial);
  const edges: ElkExtendedEdge[] = [];
  if (first !== undefined) {
    children.unshift({ id: dotOf(state.id), width: dotSize, height: dotSize });
    edges.push({ id: dotOf(state.id), sources: [dotOf(state.id)], targets: [first.id] });
  }
  return {
    id: state.id,
    children,
    edges,
    layoutOptions: {
      ...spacing,
      "elk.padding": `[top=${header.height + margin},left=${margin},bottom=${margin},right=${margin}]`,
      "elk.nodeSize.constraints": "MINIMUM_SIZE",
      "elk.nodeSize.minimum": `(${header.width},${header.height + margin})`,
    },
  };
}

/** The label of a line as ELK reserves room for it. */
export const labelSize = (texts: string[]): { width: number; height: number } => ({
  width: widest(texts, rowSize) + 10,
  height: texts.length * (rowHeight - 2) + 4,
});

/** Reads ELK's answer back, with the parts that were laid out before put where ELK placed them. */
export function readPlaced(
  answer: ElkNode,
  root: Part,
  lines: Line[],
  textsOf: (line: Line) => string[],
): Placed {
  const node = answer.children![0]!;
  const corner = { x: node.x ?? 0, y: node.y ?? 0 };
  const whole: Placed = {
    width: node.width!,
    height: node.height!,
    states: new Map(),
    edges: [],
    initials: [],
  };
  readNode(node, root, corner, whole);
  readEdges(answer, corner, whole, lines, textsOf);
  return whole;
}

function readNode(node: ElkNode, part: Part, corner: Point, whole: Placed): void {
  const at = { x: round(node.x! - corner.x), y: round(node.y! - corner.y) };
  if (part.placed !== undefined) return putInto(whole, part.placed, at);
  whole.states.set(part.state.id, { ...at, width: round(node.width!), height: round(node.height!) });
  for (const child of part.parts) {
    readNode(node.children!.find(({ id }) => id === child.state.id)!, child, corner, whole);
  }
}

function readEdges(
  node: ElkNode,
  corner: Point,
  whole: Placed,
  lines: Line[],
  textsOf: (line: Line) => string[],
): void {
  for (const edge of node.edges ?? []) {
    const points = pointsOf(edge, corner);
    const line = lines[Number(edge.id)];
    if (line === undefined) whole.initials.push({ state: edge.targets[0]!, points });
    else whole.edges.push(laidOutEdge(line, points, edge, corner, textsOf(line)));
  }
  for (const child of node.children ?? []) readEdges(child, corner, whole, lines, textsOf);
}

function pointsOf(edge: ElkExtendedEdge, corner: Point): Point[] {
  return (edge.sections ?? [])
    .flatMap(({ startPoint, bendPoints, endPoint }) => [startPoint, ...(bendPoints ?? []), endPoint])
    .map(({ x, y }) => ({ x: round(x - corner.x), y: round(y - corner.y) }));
}

function laidOutEdge(
  line: Line,
  points: Point[],
  edge: ElkExtendedEdge,
  corner: Point,
  texts: string[],
): LaidOutEdge {
  const { x, y } = edge.labels![0]!;
  const label = { x: round(x! - corner.x), y: round(y! - corner.y), ...labelSize(texts), lines: texts };
  return { ...line, points, label };
}
