/// <reference lib="dom" />
/** A list of any length, of which only the rows in sight are drawn. All rows are equally high. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface VirtualListProps {
  count: number;
  rowHeight: number;
  render: (index: number) => ComponentChildren;
  /** `tree`, `grid`, …: what this is to a screen reader. */
  role: "tree" | "rowgroup" | "listbox";
  label: string;
  /** Id of the selected row's element, which the keys of the list are about. */
  active?: string | undefined;
  /** Kept in sight when it changes. */
  current?: number | undefined;
  /** Stays at the end as rows come. */
  sticksToEnd?: boolean;
  /** Rows that come into sight. */
  onWindow?: (from: number, to: number) => void;
  onKeyDown?: (event: KeyboardEvent) => void;
  /** Shown in place of rows. */
  empty?: ComponentChildren;
}

export function VirtualList(props: VirtualListProps) {
  const { count, rowHeight, render, role, label, active, current, sticksToEnd, onWindow, onKeyDown, empty } =
    props;
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 0 });
  const look = () => {
    const { scrollTop, clientHeight } = frame.current as HTMLDivElement;
    setView((seen) =>
      seen.top === scrollTop && seen.height === clientHeight ? seen : { top: scrollTop, height: clientHeight }
    );
  };
  useLayoutEffect(() => {
    const observer = new ResizeObserver(look);
    observer.observe(frame.current as HTMLDivElement);
    return () => observer.disconnect();
  }, []);

  const size = { count, rowHeight, height: view.height };
  const { from, to, shift, total } = windowOf(size, view.top);
  useEffect(() => onWindow?.(from, to), [from, to, onWindow]);
  useLayoutEffect(() => {
    const element = frame.current as HTMLDivElement;
    if (sticksToEnd) element.scrollTop = total;
    else if (current !== undefined && view.height > 0) reveal(element, size, current);
    look();
    // Which row it is may be known before there are rows.
    // A lower frame would hide the end.
  }, [
    current,
    sticksToEnd,
    sticksToEnd ? count : current !== undefined && current < count,
    sticksToEnd ? view.height : view.height > 0,
  ]);

  const rows = [];
  for (let index = from; index < to; index++) rows.push(render(index));
  return (
    <div
      class="virtual"
      ref={frame}
      role={role}
      aria-label={label}
      aria-activedescendant={active}
      tabIndex={0}
      onScroll={look}
      onKeyDown={onKeyDown}
    >
      {count === 0 && empty}
      <div class="virtual-all" style={{ height: `${total}px` }} role="presentation">
        <div class="virtual-rows" style={{ transform: `translateY(${shift}px)` }} role="presentation">
          {rows}
        </div>
      </div>
    </div>
  );
}

function reveal(
  element: HTMLDivElement,
  size: { count: number; rowHeight: number; height: number },
  index: number,
) {
  const first = indexAt(size, element.scrollTop);
  const fit = Math.floor(size.height / size.rowHeight);
  if (index >= Math.ceil(first) && index < Math.floor(first) + fit) return;
  const near = index === Math.ceil(first) - 1 || index === Math.floor(first) + fit;
  const top = near ? (index < first ? index : index - fit + 1) : index - Math.floor(fit / 2);
  element.scrollTop = scrollTopOf(size, Math.max(0, top));
}

/** Greatest height that every browser can scroll, in pixels; a longer list scrolls by more than one row per pixel. */
const highest = 8_000_000;

/** Number and height of the rows, and height of the visible part. */
interface ListSize {
  count: number;
  /** Pixels. */
  rowHeight: number;
  /** Pixels of the frame. */
  height: number;
}

interface ListWindow {
  from: number;
  /** Just after the last. */
  to: number;
  /** Offset at which the first row is drawn, in pixels from the top of the list. */
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

/** Scroll position that has the row at the top. */
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
