/** Marks of statuses, by shape and by colour; classes are those of the page of a run. */
import { type Markup, markup } from "../../../testing/reporters/html/markup.ts";

export type ShownStatus = "pass" | "fail" | "partial" | "skipped";

const marks = { pass: "✓", fail: "✗", partial: "⚠", skipped: "–" } as const;
const classes = { pass: "passed", fail: "failed", partial: "partial", skipped: "skipped" } as const;

/** Class that colours what it stands on. */
export const statusClass = (status: ShownStatus): string => classes[status];

export const statusMark = (status: ShownStatus): Markup =>
  markup`<span class="mark" role="img" aria-label="${status}">${marks[status]}</span>`;

/** `PARTIAL 4/7` in a frame. */
export const statusBadge = (status: ShownStatus, rate: string): Markup =>
  markup`<span class="badge ${classes[status]}">${status.toUpperCase()} ${rate}</span>`;
