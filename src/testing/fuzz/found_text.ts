/** How much fuzzing found, in words. */
import type { FuzzFind } from "../../../machines/model/fuzz.ts";
import { count } from "../../values.ts";

/** Faults and findings are counted apart: only the first break something. */
export function foundText(finds: readonly Pick<FuzzFind, "severity">[]): string {
  const findings = finds.filter(({ severity }) => severity === "finding").length;
  const faults = count(finds.length - findings, "fault");
  return findings === 0 ? faults : `${faults}, ${count(findings, "finding")}`;
}
