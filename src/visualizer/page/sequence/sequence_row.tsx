/// <reference lib="dom" />
/** One event of the sequence: its time, and an arrow from who sent it to who received it. */
import type { EventRow } from "../../timeline/timeline.ts";
import { durationText, shortId, shortType, sinceStart } from "../format.ts";
import { arrowOf, arrowRowHeight, fromOutside, gapBefore } from "./arrow.ts";
import type { Lifelines, VisibleRange } from "./lifelines.ts";

interface RowProps {
  /** Id of the row's element. */
  id: string;
  /** Undefined until it is fetched. */
  row: EventRow | undefined;
  /** When the row above happened. */
  before: number | undefined;
  lifelines: Lifelines;
  /** The lines of all actors through one row, as an SVG path. */
  through: string;
  sight: VisibleRange;
  selected: boolean;
  current: boolean;
  onSelect(row: EventRow): void;
}

export function SequenceRow(
  { id, row, before, lifelines, through, sight, selected, current, onSelect }: RowProps,
) {
  const { width } = lifelines;
  const style = { height: `${arrowRowHeight}px`, width: `${width}px` };
  if (row === undefined) {
    return (
      <div class="seq-row waiting" style={style}>
        <svg width={width} height={arrowRowHeight} aria-hidden="true">
          <path class="seq-life" d={through} />
        </svg>
      </div>
    );
  }
  const gap = gapBefore(row.at, before);
  const classes = [
    "seq-row",
    row.trouble && "trouble",
    row.ignored && "ignored",
    selected && "selected",
    current &&
    "current",
  ];
  return (
    <div
      class={classes.filter(Boolean).join(" ")}
      style={style}
      role="option"
      id={id}
      aria-selected={selected}
      aria-label={spoken(row)}
      title={`${spoken(row)}${row.ignored ? " (ignored)" : ""}`}
      onClick={() => onSelect(row)}
    >
      <svg width={width} height={arrowRowHeight} aria-hidden="true">
        <path class="seq-life" d={through} />
        {gap !== undefined && <path class="seq-gap" d={`M4 0.5H${width}`} />}
        <Arrow row={row} lifelines={lifelines} sight={sight} />
        <text class="seq-time" x={sight.left + 78} y="20" text-anchor="end">{sinceStart(row.at)}</text>
        {gap !== undefined && (
          <text class="seq-gap-text" x={sight.left + 78} y="9" text-anchor="end">+{durationText(gap)}</text>
        )}
      </svg>
    </div>
  );
}

function Arrow({ row, lifelines, sight }: { row: EventRow; lifelines: Lifelines; sight: VisibleRange }) {
  const arrow = arrowOf(row, lifelines, sight);
  if (arrow === undefined) return null;
  const type = shortType(row.type).slice(0, arrow.letters);
  const gist = row.gist === row.type ? "" : row.gist.slice(0, Math.max(0, arrow.letters - type.length - 2));
  return (
    <>
      <path class="seq-arrow" d={arrow.path} />
      <path class="seq-head" d={arrow.head} />
      {row.source === undefined && <circle class="seq-head" cx={fromOutside} cy={20} r={3} />}
      <text class="seq-text" x={arrow.text.x} y="14" text-anchor={arrow.text.anchor}>
        {arrow.beyond === "left" && "◂ "}
        {type}
        {gist.length > 3 && <tspan class="seq-gist" dx="8">{gist}</tspan>}
        {arrow.beyond === "right" && " ▸"}
      </text>
    </>
  );
}

const spoken = ({ at, source, target, type, gist }: EventRow): string =>
  `${sinceStart(at)}: ${type}, from ${source ? shortId(source.id) : "outside"} to ${shortId(target.id)}${
    gist && gist !== type ? `; ${gist}` : ""
  }`;
