/** Boxes without lines between them, packed into a compact grid: the regions of a parallel state. */
import type { Box } from "./chart.ts";
import { layoutMisfit } from "./placed_chart.ts";

export interface Size {
  width: number;
  height: number;
}

export interface Packing extends Size {
  /** In the order of the sizes; stretched so that columns, or rows, are full. */
  boxes: Box[];
}

/**
 * Fills columns, or rows, from the first to the last in the given order, with as many as fit a screen best.
 *
 * @param gap Pixels between two boxes.
 */
export function packBoxes(sizes: Size[], gap: number): Packing {
  const turned = sizes.map(turn);
  const packings = sizes.slice(0, mostColumns).flatMap((_, index) => [
    inColumns(sizes, index + 1, gap),
    turnPacking(inColumns(turned, index + 1, gap)),
  ]);
  return packings.reduce((best, packing) => layoutMisfit(packing) < layoutMisfit(best) ? packing : best);
}

/** More would cost much to try, and never fit a screen. */
const mostColumns = 5;

const turn = ({ width, height }: Size): Size => ({ width: height, height: width });

const turnPacking = ({ boxes, ...size }: Packing): Packing => ({
  ...turn(size),
  boxes: boxes.map((box) => ({ x: box.y, y: box.x, ...turn(box) })),
});

function inColumns(sizes: Size[], columns: number, gap: number): Packing {
  const split = bestSplit(sizes, columns, gap);
  const heights = split.map((column) => heightOf(column, gap));
  const height = Math.max(...heights);
  const boxes: Box[] = [];
  let x = 0;
  for (const column of split) {
    const width = Math.max(...column.map((size) => size.width));
    const spare = (height - heightOf(column, gap)) / column.length;
    let y = 0;
    for (const size of column) {
      boxes.push({ x, y, width, height: size.height + spare });
      y += size.height + spare + gap;
    }
    x += width + gap;
  }
  return { boxes, width: x - gap, height };
}

const heightOf = (column: Size[], gap: number): number =>
  column.reduce((sum, { height }) => sum + height + gap, -gap);

/** Cuts a list into so many columns that the tallest is as low as can be. */
function bestSplit(sizes: Size[], columns: number, gap: number): Size[][] {
  if (columns === 1) return [sizes];
  let best: Size[][] = [sizes];
  let lowest = Infinity;
  for (let cut = 1; cut <= sizes.length - columns + 1; cut++) {
    const split = [sizes.slice(0, cut), ...bestSplit(sizes.slice(cut), columns - 1, gap)];
    const height = Math.max(...split.map((column) => heightOf(column, gap)));
    if (height < lowest) [best, lowest] = [split, height];
  }
  return best;
}
