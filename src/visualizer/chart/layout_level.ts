/**
 * One level of a chart as ELK sees it: the children of a state as boxes, and the pieces of lines between them.
 *
 * A line that leaves a box, or ends inside of it, goes through a port on the box's border. Lines out of a box to the same
 * state share their port, and from there on their way; so do lines into a box to the same state in it.
 */
import type { ElkExtendedEdge, ElkNode, ElkPort, LayoutOptions } from "elkjs/lib/elk-api.js";
import type { ChartPoint, ChartState, LayoutDirection } from "./chart.ts";
import { type ChartEdge, isInside } from "./chart_of.ts";
import type { PlacedChart } from "./placed_chart.ts";
import { labelSize } from "./text_width.ts";

export interface LayoutLevel {
  state: ChartState;
  /** Space that the state's own texts need at its top. */
  header: { width: number; height: number };
  children: { state: ChartState; placed: PlacedChart }[];
  pieces: EdgeSegment[];
  /** Ids of the children that transitions of the state itself lead to. */
  entered: string[];
}

/** Part of one edge, or of several edges that share a route, inside one level. */
export interface EdgeSegment {
  /** Id of a child, or name of a port. */
  from: string;
  to: string;
  /** Numbers of the lines. */
  lines: number[];
  /** The texts of the line, where it begins at a child. */
  texts?: string[];
}

export const boxMargin = 12;
const dotSize = 10;

const options: LayoutOptions = {
  "elk.algorithm": "layered",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.randomSeed": "1",
  "elk.json.edgeCoords": "ROOT",
  "elk.json.shapeCoords": "ROOT",
};

const levelOptions: LayoutOptions = {
  "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
  "elk.layered.cycleBreaking.strategy": "DEPTH_FIRST",
  "elk.layered.thoroughness": "4",
  "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
  "elk.spacing.nodeNode": "16",
  "elk.spacing.edgeNode": "12",
  "elk.spacing.edgeEdge": "9",
  "elk.spacing.edgeLabel": "4",
  "elk.layered.spacing.nodeNodeBetweenLayers": "16",
  "elk.layered.spacing.edgeNodeBetweenLayers": "10",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "8",
  "elk.nodeSize.constraints": "MINIMUM_SIZE",
};

/** The pieces of lines in a state, between its children and its border. */
export function piecesIn(
  state: ChartState,
  lines: ChartEdge[],
  textsOf: (line: ChartEdge) => string[],
): EdgeSegment[] {
  const pieces = new Map<string, EdgeSegment>();
  for (const [number, line] of lines.entries()) {
    const begins = isInside(line.source, state.id);
    const ends = isInside(line.target, state.id);
    if (!begins && !ends) continue;
    const source = begins ? childWith(state, line.source) : undefined;
    const target = ends ? childWith(state, line.target) : undefined;
    if (source !== undefined && source === target) continue;
    const piece: EdgeSegment = {
      from: source === undefined
        ? portIn(state.id, line)
        : source === line.source
        ? source
        : portOut(source, line),
      to: target === undefined
        ? portOut(state.id, line)
        : target === line.target
        ? target
        : portIn(target, line),
      lines: [number],
      ...(source === line.source && { texts: textsOf(line) }),
    };
    const known = pieces.get(`${piece.from} ${piece.to}`);
    if (known === undefined) pieces.set(`${piece.from} ${piece.to}`, piece);
    else known.lines.push(number);
  }
  return [...pieces.values()];
}

const childWith = (state: ChartState, id: string): string =>
  state.children.find((child) => child.id === id || isInside(id, child.id))!.id;

const portOut = (state: string, line: ChartEdge): string => `${state}>${line.target}`;
const portIn = (state: string, line: ChartEdge): string => `${state}<${line.target}`;

/** ELK's input; its only node is the state. */
export function elkGraphOf(level: LayoutLevel, direction: LayoutDirection): ElkNode {
  const { state, header, children, pieces } = level;
  const first = state.children.find(({ key }) => key === state.initial);
  const nodes = children.map(({ state, placed }) => boxOf(state.id, placed, pieces, direction));
  const withPorts = new Set(
    children.filter(({ placed }) => placed.ports.size > 0).map(({ state }) => state.id),
  );
  const edges = pieces.map((piece, index) => edgeOf(piece, index, withPorts));
  if (first !== undefined) {
    nodes.unshift({ id: "dot", width: dotSize, height: dotSize });
    edges.unshift({ id: "dot", sources: ["dot"], targets: [first.id] });
    edges.push(...hints(level, first.id));
  }
  const node: ElkNode = {
    id: state.id,
    children: nodes,
    ports: ownPorts(level).map((id): ElkPort => ({ id, width: 0, height: 0 })),
    layoutOptions: {
      ...options,
      ...levelOptions,
      "elk.direction": direction,
      "elk.padding": `[top=${
        header.height + boxMargin
      },left=${boxMargin},bottom=${boxMargin},right=${boxMargin}]`,
      "elk.nodeSize.minimum": `(${header.width},${header.height + boxMargin})`,
    },
  };
  return { id: "", children: [node], edges, layoutOptions: options };
}

/**
 * Invisible edges for ELK from the first state to the states that its parent's transitions enter, if no edge leaves
 * the first state: they keep the reading order.
 */
function hints({ pieces, entered }: LayoutLevel, first: string): ElkExtendedEdge[] {
  if (pieces.some(({ from }) => from === first)) return [];
  return entered.filter((id) => id !== first)
    .map((id) => ({ id: `hint ${id}`, sources: [first], targets: [id] }));
}

/** True for the name of a port on the border of the level's own state. */
export const isOwnPort = (end: string, { state }: LayoutLevel): boolean =>
  end.startsWith(`${state.id}>`) || end.startsWith(`${state.id}<`);

const ownPorts = (level: LayoutLevel): string[] => [
  ...new Set(
    level.pieces.flatMap(({ from, to }) => [from, to]).filter((end) => isOwnPort(end, level)),
  ),
];

function boxOf(id: string, placed: PlacedChart, pieces: EdgeSegment[], direction: LayoutDirection): ElkNode {
  const { width, height, ports } = placed;
  if (ports.size === 0) return { id, width, height };
  const places = [
    ...[...ports].map(([id, { x, y }]) => portAt(id, { x, y }, sideOf({ x, y }, placed))),
    ...freePorts(id, placed, pieces, direction),
  ];
  return { id, width, height, ports: places, layoutOptions: { "elk.portConstraints": "FIXED_POS" } };
}

type Side = "NORTH" | "SOUTH" | "WEST" | "EAST";

const sideOf = ({ x, y }: ChartPoint, { width, height }: PlacedChart): Side =>
  y <= 1 ? "NORTH" : y >= height - 1 ? "SOUTH" : x <= width / 2 ? "WEST" : "EAST";

const portAt = (id: string, { x, y }: ChartPoint, side: Side): ElkPort => ({
  id,
  x,
  y,
  width: 0,
  height: 0,
  layoutOptions: { "elk.port.side": side },
});

/**
 * Ports for the lines that begin or end at a box whose other ports have fixed places. ELK would put all of them into
 * one corner; they go where there is most room.
 */
function freePorts(
  id: string,
  placed: PlacedChart,
  pieces: EdgeSegment[],
  direction: LayoutDirection,
): ElkPort[] {
  const ports: ElkPort[] = [];
  for (const end of ["to", "from"] as const) {
    const side: Side = direction === "DOWN"
      ? (end === "to" ? "NORTH" : "SOUTH")
      : end === "to"
      ? "WEST"
      : "EAST";
    const across = side === "NORTH" || side === "SOUTH";
    const taken = [...placed.ports.values()].filter((port) => sideOf(port, placed) === side)
      .map(({ x, y }) => across ? x : y);
    const far = side === "SOUTH" ? placed.height : side === "EAST" ? placed.width : 0;
    for (const [index, piece] of pieces.entries()) {
      if (piece[end] !== id) continue;
      const place = middleOfWidestGap(taken, across ? placed.width : placed.height);
      taken.push(place);
      ports.push(portAt(freePort(id, index), across ? { x: place, y: far } : { x: far, y: place }, side));
    }
  }
  return ports;
}

const freePort = (id: string, piece: number): string => `${id}!${piece}`;

function middleOfWidestGap(taken: number[], length: number): number {
  const marks = [0, ...taken, length].sort((one, other) => one - other);
  let widest = 1;
  for (let index = 2; index < marks.length; index++) {
    if (marks[index]! - marks[index - 1]! > marks[widest]! - marks[widest - 1]!) widest = index;
  }
  return (marks[widest]! + marks[widest - 1]!) / 2;
}

function edgeOf({ from, to, texts }: EdgeSegment, index: number, withPorts: Set<string>): ElkExtendedEdge {
  const end = (id: string): string => withPorts.has(id) ? freePort(id, index) : id;
  const label = texts && {
    text: texts.join("\v"),
    ...labelSize(texts),
    layoutOptions: { "elk.edgeLabels.inline": "true" },
  };
  return {
    id: String(index),
    sources: [end(from)],
    targets: [end(to)],
    labels: label === undefined ? [] : [label],
  };
}
