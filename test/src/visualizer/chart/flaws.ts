/** What would make a picture of a chart wrong or hard to read. */
import type { Box, ChartPoint, LaidOutChart } from "../../../../src/visualizer/chart/chart.ts";
import { statesOf } from "../../../../src/visualizer/chart/chart_of.ts";

const overlaps = (one: Box, other: Box): boolean =>
  one.x < other.x + other.width && other.x < one.x + one.width &&
  one.y < other.y + other.height && other.y < one.y + one.height;

const contains = (outer: Box, { x, y, width, height }: Box): boolean =>
  x >= outer.x && y >= outer.y && x + width <= outer.x + outer.width + 0.2 &&
  y + height <= outer.y + outer.height + 0.2;

export const isOnBorder = ({ x, y }: ChartPoint, box: Box): boolean => {
  const within = contains({ x: box.x - 1, y: box.y - 1, width: box.width + 2, height: box.height + 2 }, {
    x,
    y,
    width: 0,
    height: 0,
  });
  const isNear = (one: number, other: number) => Math.abs(one - other) <= 1;
  return within && (isNear(x, box.x) || isNear(x, box.x + box.width) || isNear(y, box.y) ||
    isNear(y, box.y + box.height));
};

const distance = (one: ChartPoint, other: ChartPoint): number => Math.hypot(one.x - other.x, one.y - other.y);

/** By so little that it looks like a mistake. */
const swerves = ([, bend, next, after]: ChartPoint[]): boolean =>
  after !== undefined && distance(bend!, next!) < 4.5;

/** One line for each; none for a good picture. */
export function flaws({ chart, width, height, states, edges }: LaidOutChart): string[] {
  const whole = { x: 0, y: 0, width, height };
  const found: string[] = [];
  const all = [...statesOf(chart.root)].filter(({ id }) => states[id] !== undefined);
  for (const { id, children } of all) {
    if (!contains(whole, states[id]!)) found.push(`${id} is outside of the picture`);
    const shown = children.filter((child) => states[child.id] !== undefined);
    for (const [index, child] of shown.entries()) {
      if (!contains(states[id]!, states[child.id]!)) found.push(`${child.id} is outside of ${id}`);
      const hit = shown.slice(index + 1).find((other) => overlaps(states[child.id]!, states[other.id]!));
      if (hit !== undefined) found.push(`${child.id} covers ${hit.id}`);
    }
  }
  const leaves = all.filter(({ children }) => !children.some(({ id }) => states[id] !== undefined));
  for (const [index, { source, target, points, label }] of edges.entries()) {
    const name = `the line from ${source} to ${target}`;
    if (!isOnBorder(points[0]!, states[source]!)) found.push(`${name} begins elsewhere`);
    if (!isOnBorder(points[points.length - 1]!, states[target]!)) found.push(`${name} ends elsewhere`);
    if (swerves(points)) found.push(`${name} swerves where it begins`);
    if (swerves([...points].reverse())) found.push(`${name} swerves where it ends`);
    for (const [at, point] of points.slice(1).entries()) {
      const before = points[at]!;
      if (Math.min(Math.abs(before.x - point.x), Math.abs(before.y - point.y)) > 1) {
        found.push(`${name} is slanted`);
      }
    }
    const covered = leaves.find(({ id }) => overlaps(label, states[id]!));
    if (covered !== undefined) found.push(`the text of ${name} covers ${covered.id}`);
    if (!contains(whole, label)) found.push(`the text of ${name} is outside of the picture`);
    const other = edges.slice(index + 1).find((edge) => overlaps(label, edge.label));
    if (other !== undefined) {
      found.push(`the text of ${name} covers that from ${other.source} to ${other.target}`);
    }
  }
  return found;
}
