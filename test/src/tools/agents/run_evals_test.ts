import t from "tap";
import type { EvalReport, EvalRunResult } from "../../../../machines/model/eval_result.ts";
import { checkAnswer } from "../../server/check_answer.ts";

const run = (passed: boolean, explanation: string): EvalRunResult => ({
  status: passed ? "passed" : "failed",
  score: passed ? 1 : 0,
  graders: [{ name: "said", type: "regex", weight: 1, passed, explanation }],
  problems: [],
  warnings: [],
});
const good = run(true, "/Found/ matches");
const bad = run(false, "/Found/ does not match");
const report: EvalReport = {
  by: "pth",
  agent: "command",
  version: undefined,
  cases: [
    { name: "rose", folder: "evals/rose", ...good, passes: 1, runs: [good] },
    { name: "oak", folder: "evals/oak", ...bad, score: 0.5, passes: 1, runs: [good, bad] },
    {
      name: "elm",
      folder: "evals/elm",
      status: "refused",
      score: 0,
      graders: [],
      problems: ["it has no playbook"],
      warnings: [],
      passes: 0,
      runs: [{ status: "refused", score: 0, graders: [], problems: ["it has no playbook"], warnings: [] }],
    },
  ],
  warnings: ["mocks are not used: shop answered as the plugin has it"],
};
const playbooks = { place: "/books", byTest: {} };
const choose = () => Promise.resolve({ agent: "command", playbooks });

t.test("the count comes first, then what did not pass and why", async (t) => {
  const asked: unknown[] = [];
  await checkAnswer(t, {
    tool: "pth_run_evals",
    input: { playbook: "/books", agent: "command", command: "x", tag: "flowers", runs: 2, workers: 3 },
    commands: {
      agents: { choose, evaluate: (request) => Promise.resolve(void asked.push(request)).then(() => report) },
    },
    text: new RegExp(
      [
        "^1 of 3 cases passed \\(command\\)",
        "- oak failed, 1 of 2 runs passed",
        "  failed: said \\(regex\\): /Found/ does not match",
        "- elm was not run",
        "  it has no playbook",
        "Warning: mocks are not used: shop answered as the plugin has it$",
      ].join("\n"),
    ),
    data: {
      passed: 1,
      total: 3,
      cases: [
        { name: "rose", status: "passed", failed: [] },
        { name: "oak", status: "failed", passes: 1, runs: 2, failed: ["said"] },
        { name: "elm", status: "refused", problems: ["it has no playbook"] },
      ],
    },
  });
  t.strictSame(asked, [{
    agent: { agent: "command", playbooks },
    by: "pth",
    filter: { tag: "flowers" },
    runs: 2,
    workers: 3,
  }]);
});

t.test("with detail every grader is told, and cases that passed, too", async (t) => {
  await checkAnswer(t, {
    tool: "pth_run_evals",
    input: { playbook: "/books", by: "agent", detail: true },
    commands: { agents: { choose, evaluate: () => Promise.resolve({ ...report, by: "agent" }) } },
    text:
      /^1 of 3 cases passed \(command, by its own runner of evals\)\n- rose passed\n {2}passed: said \(regex\): \/Found\/ matches\n/,
    data: { total: 3 },
  });
});
