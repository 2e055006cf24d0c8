/** Verdicts on prompt-driven tests: the agent's word, the commands, and what neither can talk away. */
import t from "tap";
import { judgeAgentRun, type JudgedWork } from "../../../../src/testing/judge/judge_agent_run.ts";
import { answered, testOf } from "../observed.ts";

const test = testOf({ tier: 3, prompt: "Do it", checklist: ["done"] });
const met = [{ item: "done", met: true, evidence: "it says so" }];
const calls = [{ tool: "echo", input: {}, outcome: answered("hi") }];
const judged = (work: Partial<JudgedWork>) =>
  judgeAgentRun(test, { calls, commands: [], checklist: met, ...work });

t.test("work that was done and judged passes", (t) => {
  t.match(judged({}), { status: "passed", note: /1 call/ });
  t.end();
});

t.test("an answer that breaks the tool's own schema fails the test, whatever the agent judged", (t) => {
  const breach = { kind: "output_schema" as const, message: "/id must be number" };
  const outcome = answered("hi", { violations: [breach] });
  t.match(judged({ calls: [...calls, { tool: "get", input: {}, outcome }] }), {
    status: "failed",
    category: "schema-violation",
    message: /get: \/id must be number/,
  });
  t.end();
});

t.test("a limit that passes is told for what it cut short", (t) => {
  const { checklist: _, ...open } = { calls, commands: [], checklist: met };
  t.match(judgeAgentRun(test, { ...open, timedOut: true }), { category: "timeout", message: /not closed/ });
  t.match(judged({ timedOut: true }), { category: "timeout", message: /verify commands did not end/ });
  t.end();
});
