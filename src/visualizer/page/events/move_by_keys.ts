/// <reference lib="dom" />
/** Up and down go from event to event, in the list and in the sequence. */
import { stepBy } from "../time_bar/step_by.ts";

export function moveByKeys(event: KeyboardEvent): void {
  if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
  event.preventDefault();
  void stepBy(event.key === "ArrowUp" ? -1 : 1, false);
}
