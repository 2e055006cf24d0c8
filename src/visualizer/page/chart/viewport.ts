/** Zoom and pan of a picture in its viewport, as plain numbers. Lengths are CSS pixels. */
import type { Box, ChartPoint } from "../../chart/chart.ts";
import type { Size } from "../../chart/pack_boxes.ts";

/** A point of the picture is drawn at `point * scale + (x, y)` of the frame. */
export interface Viewport extends ChartPoint {
  scale: number;
}

export const leastScale = 0.1;
export const largestScale = 4;
const margin = 12;
/** Pixels of the picture that stay visible wherever it is dragged. */
const remains = 60;

const within = (least: number, value: number, most: number): number => Math.min(most, Math.max(least, value));

/** The whole picture, in the middle, never enlarged. */
export function fitAll(picture: Size, frame: Size): Viewport {
  return fitBox({ x: 0, y: 0, ...picture }, frame, 1);
}

/** Fits the width and shows the top: the part of a tall picture that is read first. */
export function fitWidth(picture: Size, frame: Size): Viewport {
  const scale = within(leastScale, (frame.width - 2 * margin) / picture.width, 1);
  const fits = picture.height * scale <= frame.height - 2 * margin;
  return {
    scale,
    x: (frame.width - picture.width * scale) / 2,
    y: fits ? (frame.height - picture.height * scale) / 2 : margin,
  };
}

/** A part of the picture, in the middle of the frame, at least `least` and at most `most` times enlarged. */
export function fitBox(box: Box, frame: Size, most: number, least = leastScale): Viewport {
  const wide = (frame.width - 2 * margin) / Math.max(1, box.width);
  const high = (frame.height - 2 * margin) / Math.max(1, box.height);
  const scale = within(least, Math.min(wide, high), most);
  return {
    scale,
    x: frame.width / 2 - (box.x + box.width / 2) * scale,
    y: frame.height / 2 - (box.y + box.height / 2) * scale,
  };
}

/** A part of the picture, large enough to be read: of one that is too large then, its beginning. */
export function fitReadable(box: Box, frame: Size, readable: number): Viewport {
  const whole = fitBox(box, frame, 1);
  if (whole.scale >= readable) return whole;
  return { scale: readable, x: margin - box.x * readable, y: margin - box.y * readable };
}

/** Zooms around a point, which stays in place. */
export function zoomAt(view: Viewport, factor: number, point: ChartPoint): Viewport {
  const scale = within(leastScale, view.scale * factor, largestScale);
  const grown = scale / view.scale;
  return { scale, x: point.x - (point.x - view.x) * grown, y: point.y - (point.y - view.y) * grown };
}

/** Moved, but not out of sight. */
export function panBy(view: Viewport, by: ChartPoint, picture: Size, frame: Size): Viewport {
  return {
    scale: view.scale,
    x: within(remains - picture.width * view.scale, view.x + by.x, frame.width - remains),
    y: within(remains - picture.height * view.scale, view.y + by.y, frame.height - remains),
  };
}

/** Moved as little as shows the box; the same view where it shows already. One that is too large shows its beginning. */
export function revealBox(view: Viewport, box: Box, frame: Size): Viewport {
  const x = view.x + shift(view.x + box.x * view.scale, box.width * view.scale, frame.width);
  const y = view.y + shift(view.y + box.y * view.scale, box.height * view.scale, frame.height);
  return x === view.x && y === view.y ? view : { scale: view.scale, x, y };
}

function shift(start: number, length: number, room: number): number {
  const end = start + length;
  if (length > room - 2 * margin) {
    const shown = Math.min(end, room) - Math.max(start, 0);
    return shown >= room / 2 ? 0 : margin - start;
  }
  return start < margin ? margin - start : Math.min(0, room - margin - end);
}

/** The smallest box around all; undefined for none. */
export function boundingBox(boxes: readonly Box[]): Box | undefined {
  if (boxes.length === 0) return undefined;
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  return {
    x,
    y,
    width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
    height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
  };
}
