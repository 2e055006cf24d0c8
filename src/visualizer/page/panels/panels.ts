/// <reference lib="dom" />
/** How wide the panels beside the view are: as suits the window, until somebody drags; then the browser remembers. */
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

/** How wide a panel may be. All lengths are CSS pixels. */

/** A narrower one shows nothing that helps. */
const least = 160;

/** Of the window: the view between the panels stays. */
const most = 0.45;

/** What a panel becomes that is dragged to this width: dragged to less than half of the least, it is hidden, which is 0. */
export function panelWidth(wanted: number, room: number): number {
  if (!(wanted >= least / 2)) return 0;
  return Math.round(Math.max(least, Math.min(wanted, room * most)));
}
