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
