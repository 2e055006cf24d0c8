/** How much fuzzing found, in words. */
import type { FuzzFind } from "../../../machines/model/fuzz.ts";
import { count } from "../../core/values.ts";

type Finds = readonly Pick<FuzzFind, "severity">[];

/** Faults and findings are counted apart: only the first break something. Texts and exit codes count them here. */
export function countFinds(finds: Finds): { faults: number; findings: number } {
  const faults = finds.filter(({ severity }) => severity === "failure").length;
  return { faults, findings: finds.length - faults };
}

export function foundText(finds: Finds): string {
  const { faults, findings } = countFinds(finds);
  const told = count(faults, "fault");
  return findings === 0 ? told : `${told}, ${count(findings, "finding")}`;
}
