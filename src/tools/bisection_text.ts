/** Which fix broke a test, for whoever reads it: the answer first, then how it was found. */
import type { Bisection } from "../../machines/model/fix.ts";
import { fixRow } from "./fix_text.ts";
import { firstLine, lines } from "./words.ts";

export function bisectionText(found: Bisection): string {
  return lines(
    verdict(found),
    ...found.culprits.map(fixRow),
    "Tried:",
    ...found.tried.map(({ commit, title, passed, says }) =>
      `- ${mark(passed)} ${commit.slice(0, 10)} ${firstLine(title, 80)} (${firstLine(says, 160)})`
    ),
    next(found),
  );
}

function verdict({ test, culprits, passesNow, brokenBefore }: Bisection): string {
  if (passesNow) return `${test} passes with the newest commit: no fix broke it.`;
  if (brokenBefore) return `${test} failed before the first fix, too: no fix broke it.`;
  return culprits.length === 1
    ? `${test} fails since this commit:`
    : `${test} fails since one of these commits; those between could not be judged:`;
}

const mark = (passed: boolean | undefined): string => passed === undefined ? "?" : passed ? "✓" : "✗";

function next({ culprits: [culprit] }: Bisection): string {
  if (culprit === undefined) return "Next: pth_diagnose_failure({}).";
  const commit = culprit.commit.slice(0, 10);
  return `Next: fix what it broke, or take it back: pth_revert_fix({ commit: "${commit}", reload: true }).`;
}
