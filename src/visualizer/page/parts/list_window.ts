/**
 * Which rows of a long list are in sight. Browsers end at some ten million pixels: a longer list scrolls by more than
 * one row a pixel.
 */

/** Pixels that every browser can scroll. */
const highest = 8_000_000;

export interface ListSize {
  count: number;
  /** Pixels. */
  rowHeight: number;
  /** Pixels of the frame. */
  height: number;
}

export interface ListWindow {
  from: number;
  /** Just after the last. */
  to: number;
  /** Where the first row is drawn, in pixels from the top of all. */
  shift: number;
  /** Pixels of all. */
  total: number;
}

const heightOf = ({ count, rowHeight }: ListSize): number => Math.min(highest, count * rowHeight);

/** The row at the top of the frame, with its part that is out of sight. */
export function indexAt(size: ListSize, scrollTop: number): number {
  const room = heightOf(size) - size.height;
  const hidden = size.count - size.height / size.rowHeight;
  return room <= 0 || hidden <= 0 ? 0 : Math.max(0, Math.min(1, scrollTop / room)) * hidden;
}

/** Where to scroll to have the row at the top. */
export function scrollTopOf(size: ListSize, index: number): number {
  const room = heightOf(size) - size.height;
  const hidden = size.count - size.height / size.rowHeight;
  return room <= 0 || hidden <= 0 ? 0 : Math.min(1, index / hidden) * room;
}

export function windowOf(size: ListSize, scrollTop: number): ListWindow {
  const first = indexAt(size, scrollTop);
  const from = Math.floor(first);
  const to = Math.min(size.count, Math.ceil(first + size.height / size.rowHeight) + 1);
  const total = heightOf(size);
  const top = Math.max(0, Math.min(scrollTop, total - size.height));
  return { from, to, shift: top - (first - from) * size.rowHeight, total };
}
