/// <reference lib="dom" />
import { isWide } from "./shown_chart.ts";

/** Gives chart and sequence the width of the whole window: tree and inspector make room. */
export function WideSwitch() {
  return (
    <button
      type="button"
      aria-pressed={isWide.value}
      title="Use the whole width of the window"
      onClick={() => void (isWide.value = !isWide.value)}
    >
      Wide
    </button>
  );
}
