/** Judges the expectations of a test, and computes its status. */
import type {
  AgentTestJudgement,
  AgentTestStatus,
  CheckCommand,
  ExpectationResult,
  PlannedExpectation,
} from "../../machines/model/agent_fixture.ts";
import type { Expectation } from "./expectation.ts";
import { registry } from "./expectations/_registry.ts";
import type { ObservedSession } from "./observed_session.ts";

/** Expectations by their type. */
export const expectationTypes: ReadonlyMap<string, Expectation> = new Map(
  (registry as readonly Expectation[]).map((each) => [each.type, each]),
);

/** Type of the expectation that PTH adds where a session did not go as planned. */
const sessionType = "session";

/**
 * @param failures Reasons why the session itself failed: they are an expectation of their own, and the test has failed
 * whatever else was met
 */
export function judgeExpectations(
  planned: readonly PlannedExpectation[],
  session: ObservedSession,
  failures: readonly string[],
): AgentTestJudgement {
  const judged = planned.map((each) => judgeOne(each, session));
  const expectations = failures.length === 0 ? judged : [...judged, sessionResult(failures)];
  return { status: failures.length > 0 ? "fail" : statusOf(expectations), expectations };
}

/** A session that did not go as planned, as an expectation that was not met. */
const sessionResult = (failures: readonly string[]): ExpectationResult => ({
  id: sessionType,
  description: "the session goes as planned",
  type: sessionType,
  expected: {},
  status: "fail",
  actual: null,
  failureReason: failures.join("; "),
});

/** A test without expectations passes. */
export function statusOf(expectations: readonly Pick<ExpectationResult, "status">[]): AgentTestStatus {
  const passed = expectations.filter(({ status }) => status === "pass").length;
  if (passed === expectations.length) return "pass";
  return passed === 0 ? "fail" : "partial";
}

/** `4/7` */
export const passRate = (expectations: readonly Pick<ExpectationResult, "status">[]): string =>
  `${expectations.filter(({ status }) => status === "pass").length}/${expectations.length}`;

/** Commands that the expectations need, each once. */
export function checksOf(planned: readonly PlannedExpectation[]): CheckCommand[] {
  const checks = planned.flatMap(({ type, expected }) =>
    expectationTypes.get(type)?.checks?.(expected) ?? []
  );
  return [...new Map(checks.map((check) => [check.name, check])).values()];
}

/** Whether one of them is judged on the texts that the model was sent. */
export const needsModelInput = (planned: readonly PlannedExpectation[]): boolean =>
  planned.some(({ type }) => expectationTypes.get(type)?.needsModelInput === true);

function judgeOne(planned: PlannedExpectation, session: ObservedSession): ExpectationResult {
  const judgement = expectationTypes.get(planned.type)!.judge(planned.expected, session);
  if (!judgement.pass) {
    return { ...planned, status: "fail", actual: judgement.actual, failureReason: judgement.reason };
  }
  const { actual, at } = judgement;
  return { ...planned, status: "pass", actual, ...(at === undefined ? {} : { matchedAt: at }) };
}
