/** Lists tools without measurements, grouped by reason. */
import type { PerformanceReport } from "../../../machines/model/performance.ts";
import { groupBy } from "../../core/values.ts";
import { limitedList } from "./join_lines.ts";
import { firstLine } from "../../core/text.ts";

const toolsNamed = 10;
const reasonsShown = 5;

export function unmeasuredText({ unmeasured }: PerformanceReport, detail?: boolean): string[] {
  const rows = [...groupBy(unmeasured, ({ reason }) => reason)].map(([reason, group]) =>
    `Not measured: ${
      limitedList(group.map(({ tool }) => tool), detail ? Infinity : toolsNamed).join(", ")
    } (${detail ? reason : firstLine(reason, 200)})`
  );
  return limitedList(rows, detail ? Infinity : reasonsShown, "other reasons; ask with detail: true");
}
