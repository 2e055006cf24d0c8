/// <reference lib="dom" />
/** Keys that hold for the whole page. What has its own use for a key prevents its default, and is left alone. */
import type { Tab } from "./address.ts";
import { followEnd, showTab } from "./navigate.ts";
import { currentTab, inSession, openDialog, openedDialog } from "./state.ts";
import { togglePlayback } from "./time_bar/playback.ts";
import { goToStart, stepBy, stepToError } from "./time_bar/step_by.ts";

const tabs: Record<string, Tab> = { "1": "chart", "2": "sequence", "3": "events" };

const inSessions: Record<string, (event: KeyboardEvent) => void> = {
  ArrowLeft: (event) => void stepBy(-1, event.shiftKey),
  ArrowRight: (event) => void stepBy(1, event.shiftKey),
  n: () => void stepToError(1),
  p: () => void stepToError(-1),
  Home: goToStart,
  End: followEnd,
  " ": togglePlayback,
  "/": focusSearch,
};

export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || takesKeys(event)) return;
    const act = actOf(event.key);
    if (act === undefined) return;
    event.preventDefault();
    act(event);
  });
}

function actOf(key: string): ((event: KeyboardEvent) => void) | undefined {
  if (key === "?") return () => openDialog("help");
  if (!inSession.value) return undefined;
  const shown = tabs[key];
  return shown ? () => showTab(shown) : inSessions[key];
}

/** Whether an element on the page uses this key itself: an input field, a dialog, or a button for Enter and Space. */
function takesKeys({ target, key }: KeyboardEvent): boolean {
  if (openedDialog.value !== undefined) return true;
  if (!(target instanceof Element)) return false;
  if (target.closest("input:not([type=checkbox]), select, textarea, dialog") !== null) return true;
  return (key === " " || key === "Enter") && target.closest("button, a, summary, input") !== null;
}

/** The field is there once its view is drawn. */
function focusSearch(): void {
  if (currentTab.value === "chart") showTab("events");
  requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById("search")?.focus()));
}
