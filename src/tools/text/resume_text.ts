/** A resumed session in a few lines (PTH design §15.5). */
import type { LastStanding, ResumedSession } from "../../../machines/model/resume.ts";
import { staleText } from "../../testing/report/stale_text.ts";
import { groupBy } from "../../core/values.ts";
import { waysOn } from "../../core/way.ts";
import { count, firstLine, lines, listed } from "./words.ts";

const causesShown = 10;
/** Tests named of each cause. */
const testsShown = 4;

export function resumedText(resumed: ResumedSession): string {
  const { session: { sessionId, source }, iteration, savedAt, standing, trend, commits, tests } = resumed;
  const { environment, plugin, untestedTools = [], degraded, next } = resumed;
  return lines(
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
    ...standing ? listed(failingRows(standing.failing), causesShown, "causes") : [],
    `On the branch: ${commits.fixes === 1 ? "1 fix" : `${commits.fixes} fixes`}, ${
      count(commits.reverts, "revert")
    }, ${count(commits.others, "other commit")}`,
    `Loaded from .pth/tests: ${count(tests, "test")}`,
    environment && `Environment: ${environment.handle.runtime}, ${environment.handle.image}`,
    plugin && `Plugin loaded: ${count(plugin.tools.length, "tool")}`,
    untestedTools.length > 0 && `Without a test: ${listed(untestedTools, 10).join(", ")}`,
    ...degraded.map((what) => `Lost: ${what}`),
    ...waysOn("mcp", source.notes).map((note) => `Note: ${note}`),
    `Next: ${next.join("; then ")}`,
  );
}

const standingText = ({ total, passed, skipped, failing }: LastStanding): string =>
  `${passed} of ${count(total, "test")} passed, ${failing.length} failed${
    skipped > 0 ? `, ${skipped} skipped` : ""
  }`;

/** A row for each cause, with the first of its tests. */
const failingRows = (failing: LastStanding["failing"]): string[] =>
  [...groupBy(failing, ({ category = "", cause = "" }) => `${category}\n${cause}`).values()].map((tests) => {
    const { category, cause } = tests[0]!;
    const names = listed(tests.map(({ id, name }) => firstLine(name ?? id, 60)), testsShown).join("; ");
    return `- ${names}${category === undefined ? "" : ` [${category}]`}${
      cause === undefined ? "" : `: ${firstLine(cause)}`
    }`;
  });
