/** Tells which fix broke a test: the answer first, then how it was found. */
import type { Bisection } from "../../../machines/model/fix.ts";
import { fixRow } from "./fix_text.ts";
import { joinLines } from "./join_lines.ts";
import { count, firstLine } from "../../core/text.ts";

export function bisectionText(found: Bisection): string {
  return joinLines(
    verdict(found),
    ...found.culprits.map((culprit) => fixRow(culprit)),
    "Tried:",
    ...found.tried.map(({ commit, title, passed, says }) =>
      `- ${mark(passed)} ${commit.slice(0, 10)} ${firstLine(title, 80)} (${firstLine(says, 160)})`
    ),
    gaps(found),
    next(found),
  );
}

function verdict(found: Bisection): string {
  const { test, culprits, passesNow, brokenBefore, lastGood } = found;
  if (passesNow) return `${test} passes with the newest commit: no fix broke it.`;
  if (culprits.length === 0) return neverPassed(found);
  const since = culprits.length === 1
    ? `${test} fails since this commit:`
    : `${test} fails since one of these commits; those between were not judged:`;
  if (!brokenBefore || lastGood === undefined) return since;
  const mended = `${lastGood.commit.slice(0, 10)} ${firstLine(lastGood.title, 80)}`;
  return `${test} failed before the first fix and passed with ${mended}: it was broken again.\n${since}`;
}

/** Says how far a state was looked for in which it passed, where none is known. */
function neverPassed({ test, brokenBefore, tried, untested }: Bisection): string {
  const before = brokenBefore ? "failed before the first fix" : "could not be judged before the first fix";
  if (untested.length === 0) return `${test} ${before}, and fails with every commit since: no fix broke it.`;
  const seen = tried.filter(({ passed }) => passed === false).length - (brokenBefore ? 1 : 0);
  return `${test} ${before}, and with each of the ${
    count(seen, "commit")
  } since that could be judged; with ` +
    `${untested.length} more it was not run, or could not be: whether it ever passed is not known.`;
}

/** Names untested commits between the culprit and now, where it may have passed again. */
function gaps({ culprits, untested }: Bisection): string | false {
  const later = untested.filter(({ commit }) => culprits.every((culprit) => culprit.commit !== commit));
  if (culprits.length === 0 || later.length === 0) return false;
  const named = later.slice(0, 10).map(({ commit }) => commit.slice(0, 10)).join(", ");
  return `Not tested with the later ${named}${
    later.length > 10 ? ` and ${later.length - 10} more` : ""
  }: that it failed with them, too, is not known.`;
}

const mark = (passed: boolean | undefined): string => passed === undefined ? "?" : passed ? "✓" : "✗";

function next({ culprits: [culprit] }: Bisection): string {
  if (culprit === undefined) return "Next: pth_diagnose_failure({}).";
  const commit = culprit.commit.slice(0, 10);
  return `Next: fix what it broke, or revert it: pth_revert_fix({ commit: "${commit}", reload: true }).`;
}
