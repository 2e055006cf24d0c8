/** A resumed session in a few lines. */
import type { LastTestStatus, ResumedSession } from "../../../machines/model/resume.ts";
import { staleText } from "../../testing/report/results_verdict.ts";
import { groupBy } from "../../core/values.ts";
import { nextStepsFor } from "../../core/next_step.ts";
import { count, firstLine, joinLines, limitedList } from "./format.ts";

const causesShown = 10;
/** Tests named of each cause. */
const testsShown = 4;

export function resumedText(resumed: ResumedSession): string {
  const { session: { sessionId, source }, iteration, savedAt, standing, trend, commits, tests } = resumed;
  const { environment, plugin, untestedTools = [], degraded, next } = resumed;
  return joinLines(
    `Session ${sessionId} goes on with ${source.name}${
      source.version ? ` ${source.version}` : ""
    } on branch ${source.branch}`,
    `Worktree: ${source.worktree}`,
    iteration === 0 ? "No iteration has ended yet" : `Latest iteration: ${iteration}`,
    standing &&
      `Last results (${savedAt}): ${standingText(standing)}${
        trend === "untested" ? "" : `, trend: ${trend}`
      }`,
    standing?.stale && staleText(standing.stale),
    ...standing ? limitedList(failingRows(standing.failing), causesShown, "causes") : [],
    `On the branch: ${commits.fixes === 1 ? "1 fix" : `${commits.fixes} fixes`}, ${
      count(commits.reverts, "revert")
    }, ${count(commits.others, "other commit")}`,
    `Loaded from .pth/tests: ${count(tests, "test")}`,
    environment && `Environment: ${environment.handle.runtime}, ${environment.handle.image}`,
    plugin && `Plugin loaded: ${count(plugin.tools.length, "tool")}`,
    untestedTools.length > 0 && `Without a test: ${limitedList(untestedTools, 10).join(", ")}`,
    ...degraded.map((what) => `Lost: ${what}`),
    ...nextStepsFor("mcp", source.notes).map((note) => `Note: ${note}`),
    `Next: ${next.join("; then ")}`,
  );
}

const standingText = ({ total, passed, skipped, failing }: LastTestStatus): string =>
  `${passed} of ${count(total, "test")} passed, ${failing.length} failed${
    skipped > 0 ? `, ${skipped} skipped` : ""
  }`;

/** A row for each cause, with the first of its tests. */
const failingRows = (failing: LastTestStatus["failing"]): string[] =>
  [...groupBy(failing, ({ category = "", cause = "" }) => `${category}\n${cause}`).values()].map((tests) => {
    const { category, cause } = tests[0]!;
    const names = limitedList(tests.map(({ id, name }) => firstLine(name ?? id, 60)), testsShown).join("; ");
    return `- ${names}${category === undefined ? "" : ` [${category}]`}${
      cause === undefined ? "" : `: ${firstLine(cause)}`
    }`;
  });
