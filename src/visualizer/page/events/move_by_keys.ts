/// <reference lib="dom" />
/** Up and down go from event to event, in the list and in the sequence. */
import { step } from "../time_bar/step.ts";

export function moveByKeys(event: KeyboardEvent): void {
  if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
  event.preventDefault();
  void step(event.key === "ArrowUp" ? -1 : 1, false);
}
