/** Results that are older than the code, in one or two sentences: the same wherever results are told. */
import type { StaleResults } from "../../../machines/model/stale_results.ts";
import { plainLine } from "../../core/text.ts";

export function staleText({ results, stale, commit, behind, loadError }: StaleResults): string {
  const parts = loadError === undefined
    ? []
    : [`The plugin does not load as the branch has it: ${plainLine(loadError.split("\n", 1)[0]!)}.`];
  if (stale > 0) {
    const which = stale === results ? "The results are" : `${stale} of ${results} results are`;
    const fixes = behind === 1 ? "1 fix" : `${behind} fixes`;
    const state = commit === undefined ? "of an earlier state" : `of commit ${commit.slice(0, 10)}`;
    parts.push(`${which} ${state}, ${stale === results ? "" : "up to "}${fixes} older than the branch.`);
  } else if (results > 0) parts.push("The results are of the code that was loaded before.");
  return parts.join(" ");
}
