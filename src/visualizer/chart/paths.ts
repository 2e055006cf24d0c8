/** Lines with round corners and their arrow heads, as SVG paths. */
import type { ChartPoint } from "./chart.ts";
import { roundPixels } from "./placed_chart.ts";

const radius = 6;
const headLength = 7;
const headWidth = 7;

/** A line through all points, its corners rounded, its end behind the arrow head. */
export function roundedPath(points: ChartPoint[]): string {
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
export function arrowHead(points: ChartPoint[]): string {
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
