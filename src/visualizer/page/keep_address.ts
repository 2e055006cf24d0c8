/// <reference lib="dom" />
/** Keeps the address's hash and the page's place alike. */
import { effect } from "@preact/signals";
import { type Place, readAddress, writeAddress } from "./address.ts";
import { goTo, place } from "./navigate.ts";

export function keepAddress(): void {
  goTo(readAddress(location.hash));
  addEventListener("popstate", () => goTo(readAddress(location.hash)));
  let before = place();
  effect(() => {
    const now = place();
    const address = writeAddress(now);
    if (address === writeAddress(readAddress(location.hash))) return;
    if (isStep(before, now)) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
    before = now;
  });
}

/** What "back" goes back over. Moving in time and typing a filter do not fill the history. */
const isStep = (before: Place, now: Place): boolean =>
  before.source !== undefined &&
  (before.source !== now.source || before.tab !== now.tab || before.machine !== now.machine ||
    (before.actor !== undefined && before.actor !== now.actor));
