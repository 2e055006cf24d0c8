/** Results of agent tests for a terminal: a line for each test, with the reasons of what was not met, and a summary. */
import type { AgentTestStatus, ExpectationResult } from "../../../machines/model/agent_fixture.ts";
import type { FixtureRunFact } from "../../../machines/model/fixture_run.ts";
import { passRate } from "../../agent_fixtures/judge_expectations.ts";
import { hasPassed, notJudged, type RanFixture } from "../../agent_fixtures/run/ran_fixture.ts";
import { count, formatDuration, indentLines, visibleText } from "../../core/text.ts";
import type { TerminalStyle } from "../../testing/reporters/spec/terminal_style.ts";

type Finished = Extract<FixtureRunFact, { type: "agent_test.finished" }>;

const markOf = (status: AgentTestStatus, { marks, yellow }: TerminalStyle): string =>
  ({ pass: marks.passed, partial: yellow("◐"), fail: marks.failed })[status];

/** Lines of one test that ended, with the reason of each expectation that was not met. */
export function testLines({ fixture, id, name, result, again }: Finished, style: TerminalStyle): string {
  const { judgement: { status, expectations }, durationMs, attempts } = result;
  const rest = [
    expectations.length === 0 ? "expects nothing" : passRate(expectations),
    formatDuration(durationMs),
    ...(again ? [`attempt ${attempts}, runs again`] : attempts > 1 ? [`attempt ${attempts}`] : []),
  ];
  const head = `${markOf(status, style)} ${fixture}/${id}  ${style.bold(visibleText(name))}  ${
    style.dim(rest.join("  "))
  }`;
  return [head, ...expectations.filter(({ status }) => status === "fail").map(missLine), ""].join("\n");
}

const missLine = ({ id, description, failureReason = "" }: ExpectationResult): string =>
  indentLines(visibleText(`✗ ${id} ${description}: ${failureReason}`), "    ");

/** Lines at the end: what did not run, and what all came to. */
export function summaryLines(ran: readonly RanFixture[], durationMs: number, style: TerminalStyle): string {
  const results = ran.flatMap((each) => each.results);
  const statuses = results.map(({ judgement }) => judgement.status);
  const number = (wanted: AgentTestStatus) => statuses.filter((status) => status === wanted).length;
  const counts = [
    `${number("pass")} passed`,
    ...(number("partial") === 0 ? [] : [`${number("partial")} partial`]),
    ...(number("fail") === 0 ? [] : [`${number("fail")} failed`]),
  ];
  const expectations = results.flatMap(({ judgement }) => judgement.expectations);
  const total = ran.reduce((sum, { fixture }) => sum + fixture.tests.length, 0);
  const flaky =
    results.filter(({ judgement, attempts }) => judgement.status === "pass" && attempts > 1).length;
  return [
    ...ran.flatMap(({ fixture, notRun }) =>
      notRun.map(({ id, reason }) =>
        `${style.marks.skipped} ${fixture.name}/${id}  not run: ${visibleText(reason)}`
      )
    ),
    ...ran.flatMap(({ fixture, error }) =>
      error === undefined ? [] : [`${style.marks.failed} ${fixture.name}  ${visibleText(error.message)}`]
    ),
    `${hasPassed(ran) ? style.marks.passed : style.marks.failed} ${count(total, "test")} of ${
      count(ran.length, "fixture")
    }: ${counts.join(", ")}; ${passRate(expectations)} expectations met (${formatDuration(durationMs)})`,
    ...(flaky === 0 ? [] : [`  ${count(flaky, "test")} passed only when run again`]),
    ...notJudged(ran).map((line) => `  Not judged: ${line}`),
    "",
  ].join("\n");
}
