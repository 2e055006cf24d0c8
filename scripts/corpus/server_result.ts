/** Makes a row of the corpus from the report of a run. */
import type { Report } from "../../src/testing/report/report_schema.ts";
import { oneLine } from "../../src/core/text.ts";
import { definedOnly } from "../../src/core/values.ts";
import type { ServerResult } from "./corpus_schema.ts";

export interface RunFacts {
  version: string;
  /** Commit of PTH. */
  commit: string;
  /** Day, as 2026-01-31. */
  date: string;
  environment: string;
  seconds: number;
  /** Takes paths of this machine out of a text. */
  withoutPaths: (text: string) => string;
}

/** @param report undefined where the run wrote none; `ended` says then how it ended */
export function serverResult(
  report: Report | undefined,
  ended: string,
  { withoutPaths, ...facts }: RunFacts,
): ServerResult {
  const line = (text: string): string => oneLine(withoutPaths(text));
  const empty = {
    tests: { passed: 0, failed: 0, skipped: 0, flaky: 0 },
    tools: {},
    failures: [],
    findings: {},
  };
  if (report === undefined) return { ...facts, error: line(ended), ...empty };
  const { passed, failed, skipped, flaky } = report.summary;
  const tools = (report.exercise ?? []).map(({ tool, state, needs, reason }) =>
    [tool, definedOnly({ state, needs, reason: reason && line(reason) })] as const
  );
  return {
    ...facts,
    ...(report.error && { error: line(report.error.message) }),
    tests: { passed, failed, skipped, flaky },
    tools: Object.fromEntries(tools),
    failures: report.tests.filter(({ status }) => status === "failed").map(({ id, name, message = "" }) => ({
      test: id ?? name,
      name: line(name),
      message: line(message),
    })),
    findings: countByCode(report),
  };
}

function countByCode({ findings }: Report): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const code of findings.map(({ code }) => code).toSorted()) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}
