/// <reference lib="dom" />
import { wide } from "./shown_chart.ts";

/** Gives chart and sequence the width of the whole window: tree and inspector make room. */
export function WideSwitch() {
  return (
    <button
      type="button"
      aria-pressed={wide.value}
      title="Use the whole width of the window"
      onClick={() => void (wide.value = !wide.value)}
    >
      Wide
    </button>
  );
}
