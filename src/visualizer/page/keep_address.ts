/// <reference lib="dom" />
/** Keeps the address's hash and the page's place alike. */
import { effect } from "@preact/signals";
import { type PageLocation, readAddress, writeAddress } from "./address.ts";
import { currentLocation, goTo } from "./navigate.ts";

export function keepAddress(): void {
  goTo(readAddress(location.hash));
  addEventListener("popstate", () => goTo(readAddress(location.hash)));
  let before = currentLocation();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = (now: PageLocation) => {
    clearTimeout(timer);
    const address = writeAddress(now);
    if (address !== writeAddress(readAddress(location.hash))) history.replaceState(null, "", address);
  };
  effect(() => {
    const now = currentLocation();
    clearTimeout(timer);
    if (writeAddress(now) === writeAddress(readAddress(location.hash))) {
      // As it should be, or "back" led here.
    } else if (isStep(before, now)) {
      write(before); // "Back" leads to where one was at last.
      history.pushState(null, "", writeAddress(now));
    } else timer = setTimeout(() => write(now), restMs);
    before = now;
  });
}

/** Browsers refuse addresses that change many times a second, as in playing or dragging: only where it rests counts. */
const restMs = 200;

/** What "back" goes back over. Moving in time and typing a filter do not fill the history. */
const isStep = (before: PageLocation, now: PageLocation): boolean =>
  before.source !== undefined &&
  (before.source !== now.source || before.tab !== now.tab || before.machine !== now.machine ||
    (before.actor !== undefined && before.actor !== now.actor));
