/** Results of agent tests for a model: the counts first, then what did not pass, and the nearest miss of each reason. */
import type { AgentTestResult } from "../../../machines/model/fixture_run.ts";
import { passRate } from "../../agent_fixtures/judge_expectations.ts";
import { notJudged, type RanFixture } from "../../agent_fixtures/run/ran_fixture.ts";
import type { SessionTestsResult } from "../../agent_fixtures/run/test_in_session.ts";
import { count, oneLine } from "../../core/text.ts";
import { joinLines, limitedList } from "./join_lines.ts";

/** Lines, and characters of a reason, that are shown unless all is asked for. */
const mostLines = 60;
const longest = 400;

interface AgentTestRow {
  fixture: string;
  id: string;
  status: "pass" | "partial" | "fail" | "not_run";
  /** Expectations that were met, as `4/7`. */
  met?: string;
  attempts?: number;
  /** Reason why it did not run. */
  reason?: string;
  failed?: { id: string; reason: string }[];
}

const order = ["fail", "partial", "not_run", "pass"] as const;

/** Rows of all tests, those that passed last, with their counts. */
export function agentTestRows(ran: readonly RanFixture[]) {
  const rows = ran.flatMap(({ fixture, results, notRun, error }) =>
    fixture.tests.map(({ id }): AgentTestRow => {
      const result = results.find((each) => each.id === id);
      if (result !== undefined) return { fixture: fixture.name, ...rowOf(result) };
      const reason = notRun.find((each) => each.id === id)?.reason ?? error?.message ??
        "the run ended before it";
      return { fixture: fixture.name, id, status: "not_run", reason };
    })
  );
  const number = (wanted: AgentTestRow["status"]) => rows.filter(({ status }) => status === wanted).length;
  return {
    rows: rows.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status)),
    passed: number("pass"),
    partial: number("partial"),
    failed: number("fail"),
    notRun: number("not_run"),
  };
}

function rowOf({ id, judgement: { status, expectations }, attempts }: AgentTestResult) {
  const failed = expectations.filter((each) => each.status === "fail").map(
    ({ id, description, failureReason = "not met" }) => ({
      id,
      reason: description === "" ? failureReason : `${description}: ${failureReason}`,
    }),
  );
  return {
    id,
    status,
    ...(expectations.length === 0 ? {} : { met: passRate(expectations) }),
    ...(attempts === 1 ? {} : { attempts }),
    ...(failed.length === 0 ? {} : { failed }),
  };
}

export function agentTestsText({ ran, notes, lints, report }: SessionTestsResult, detail = false): string {
  const { rows, passed, partial, failed, notRun } = agentTestRows(ran);
  const counts = [
    `${passed} of ${count(rows.length, "agent test")} passed`,
    ...(partial === 0 ? [] : [`${partial} partial`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(notRun === 0 ? [] : [`${notRun} not run`]),
  ];
  const told = rows.filter(({ status, attempts }) => detail || status !== "pass" || attempts !== undefined);
  const unjudged = notJudged(ran).filter((line) => line.includes("without expectations"));
  return joinLines(
    counts.join(", "),
    ...limitedList(told.flatMap((row) => rowLines(row, detail)), detail ? Infinity : mostLines),
    ...[...unjudged, ...notes, ...(detail ? lints : [])].map((note) => `Note: ${note}`),
    report && `Report: ${report}`,
  );
}

function rowLines(
  { fixture, id, status, met, attempts, reason, failed = [] }: AgentTestRow,
  detail: boolean,
) {
  const words = (text: string) => detail ? text : oneLine(text, longest);
  const state = { pass: "passed", partial: "partial", fail: "failed", not_run: "not run" }[status];
  const rest = [
    state,
    ...(met === undefined ? [] : [`${met} met`]),
    ...(attempts === undefined ? [] : [`attempt ${attempts}`]),
  ].join(", ");
  return [
    `- ${fixture}/${id} ${rest}${reason === undefined ? "" : `: ${words(reason)}`}`,
    ...failed.map(({ id, reason }) => `  ${id} ${words(reason)}`),
  ];
}
