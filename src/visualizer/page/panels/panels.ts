/// <reference lib="dom" />
/** Widths of the side panels: set by the style until the user drags them, then remembered by the browser. */
import { effect, type Signal, signal } from "@preact/signals";
import { readPreference, writePreference } from "../read_preference.ts";

export type Panel = "tree" | "inspector";

/** CSS pixels; 0 hides; undefined: as the style has it. */
const widths: Record<Panel, Signal<number | undefined>> = { tree: signal(), inspector: signal() };

export const isHidden = (panel: Panel): boolean => widths[panel].value === 0;

export const resizePanel = (panel: Panel, wanted: number): void =>
  void (widths[panel].value = panelWidth(wanted, innerWidth));

/** Hides it, or shows it as wide as by default. */
export const togglePanel = (panel: Panel): void =>
  void (widths[panel].value = isHidden(panel) ? undefined : 0);

/** For the page's grid. */
export function gridStyle(): Record<string, string> {
  const style: Record<string, string> = {};
  for (const panel of ["tree", "inspector"] as const) {
    const width = widths[panel].value;
    if (width !== undefined) style[`--${panel}-width`] = `${width}px`;
  }
  return style;
}

export function keepPanels(): void {
  for (const panel of ["tree", "inspector"] as const) {
    const kept = readPreference(panel);
    if (kept) resizePanel(panel, Number(kept));
    effect(() => writePreference(panel, String(widths[panel].value ?? "")));
  }
}

/** Least width of a visible panel, in CSS pixels. */
const least = 160;

/** Greatest share of the window's width, which leaves room for the view. */
const most = 0.45;

/**
 * Width of a panel that was dragged to `wanted`, in CSS pixels; 0, which is hidden, below half of the least width.
 */
export function panelWidth(wanted: number, room: number): number {
  if (!(wanted >= least / 2)) return 0;
  return Math.round(Math.max(least, Math.min(wanted, room * most)));
}
