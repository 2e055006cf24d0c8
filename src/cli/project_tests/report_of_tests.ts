/** Converts a run of a project's own tests to the report of a run, so that every reporter can write it. */
import { basename } from "node:path";
import type { ProjectTestStatus } from "../../../machines/model/project_test.ts";
import type { ProjectTestAnswer } from "../../../machines/model/project_test_run.ts";
import { definedOnly } from "../../core/values.ts";
import { readTextFile } from "../../platform/files.ts";
import type { RunDetails } from "../../project_tests/answer_of_run.ts";
import type { Report, ReportTest } from "../../testing/report/report_schema.ts";

/** Reads all tests from the details file; suites stand where tools do, as reporters group tests by them. */
export async function reportOfTests(
  answer: ProjectTestAnswer,
  { root, startedAt, exitCode }: { root: string; startedAt: Date; exitCode: number },
): Promise<Report> {
  const started_at = startedAt.toISOString();
  const { details, framework, summary, hint } = answer;
  const read: Pick<RunDetails, "tests" | "problems" | "stuck"> = details === undefined
    ? { tests: [], problems: [], stuck: [] }
    : JSON.parse(await readTextFile(details));
  const tests = [
    ...read.problems.map(({ message, place, isBeforeTests }, at): ReportTest => ({
      ...common(framework, `problem ${at}`),
      name: isBeforeTests ? "(before the tests)" : "(the run)",
      status: "failed",
      duration_ms: 0,
      started_at,
      message,
      ...definedOnly({ file: place?.file, line: place?.line }),
    })),
    ...read.tests.map((test, at): ReportTest => ({
      ...common(test.suite ?? framework, `${at} ${test.suite ?? ""} ${test.name}`),
      name: test.name,
      status: statuses[test.status],
      duration_ms: test.durationMs ?? 0,
      started_at,
      ...definedOnly({
        message: test.status === "skipped" ? undefined : test.message ?? words[test.status],
        note: test.status === "skipped" ? test.message : undefined,
        file: test.place?.file,
        line: test.place?.line,
      }),
    })),
  ];
  return {
    schema: "pth-report/1",
    started_at,
    plugin: { name: basename(root), source: root },
    summary: {
      total: tests.length,
      passed: count(tests, "passed"),
      failed: count(tests, "failed"),
      skipped: count(tests, "skipped"),
      flaky: 0,
      duration_ms: summary?.duration_ms ?? 0,
    },
    tests,
    findings: [],
    timings: {},
    notes: hint === undefined ? [] : [hint],
    exit_code: exitCode,
    ...(summary === null
      ? { error: { code: "NO_TESTS_MATCH", message: `Cannot run the tests: there are none (${framework})` } }
      : {}),
  };
}

const statuses: Record<ProjectTestStatus, ReportTest["status"]> = {
  passed: "passed",
  skipped: "skipped",
  failed: "failed",
  stuck: "failed",
  crashed: "failed",
  not_finished: "failed",
};

const words: { [status in ProjectTestStatus]?: string } = {
  failed: "It failed",
  stuck: "It was stuck",
  not_finished: "It had begun and did not end",
};

const common = (tool: string, id: string): Pick<ReportTest, "tier" | "tool" | "id" | "generated_from"> => ({
  id,
  tier: 3,
  tool,
  generated_from: "manual",
});

const count = (tests: readonly ReportTest[], status: ReportTest["status"]): number =>
  tests.filter((test) => test.status === status).length;
