/** The status of a test by its expectations. */
import t from "tap";
import { judgeExpectations, passRate } from "../../../src/agent_fixtures/judge_expectations.ts";
import { callOf, sessionOf } from "./session_of.ts";

const session = sessionOf([callOf("Bash", { command: "ls" })]);
const expecting = (id: string, tool: string) => ({
  id,
  description: "",
  type: "tool_call",
  expected: { tool },
});

t.test("all met pass, none fail, some are partial; no expectation is a pass", (t) => {
  const met = expecting("a", "Bash");
  const missed = expecting("b", "Read");
  t.equal(judgeExpectations([met], session, []).status, "pass");
  t.equal(judgeExpectations([missed], session, []).status, "fail");
  const both = judgeExpectations([met, missed], session, []);
  t.equal(both.status, "partial");
  t.equal(passRate(both.expectations), "1/2");
  t.equal(judgeExpectations([], session, []).status, "pass");
  t.match(both.expectations, [{ id: "a", status: "pass", matchedAt: 0 }, { id: "b", failureReason: /Read/ }]);
  t.end();
});

t.test("a session that failed fails its test, and says why", (t) => {
  const { status, expectations } = judgeExpectations([expecting("a", "Bash")], session, ["it took 30 s"]);
  t.equal(status, "fail");
  t.match(expectations[1], { type: "session", status: "fail", failureReason: "it took 30 s" });
  t.end();
});
