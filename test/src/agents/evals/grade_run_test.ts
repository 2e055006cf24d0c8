/** Cases of evals on sessions that are scripted: what each grader says, and what is no pass. */
import t from "tap";
import type {
  AgentSessionRequest,
  AgentSessionResult,
  TraceEntry,
} from "../../../../machines/model/agent_session.ts";
import type { EvalCase, EvalGrader } from "../../../../machines/model/eval_case.ts";
import type { EvalRunner } from "../../../../machines/model/eval_request.ts";
import type { EvalRunResult } from "../../../../machines/model/eval_result.ts";
import type { Playbook } from "../../../../machines/model/playbook.ts";
import { planCase } from "../../../../src/agents/evals/plan_case.ts";
import { playEval } from "../../../support/play_eval.ts";

const call = (tool: string, input: unknown): TraceEntry => ({
  type: "tool_call",
  lane: "main",
  id: "call",
  tool,
  input,
  hooks: [],
});

function sessionOf(text: string, calls: TraceEntry[] = [], failures: string[] = []): AgentSessionResult {
  return {
    agent: "claude",
    version: "1.2.3",
    exit: undefined,
    stopped: undefined,
    failures,
    drift: [],
    played: 1,
    playbook: [],
    trace: {
      format: "pth-agent-trace/1",
      timeline: [...calls, { type: "turn", lane: "main", text, calls: [] }, { type: "end", text, hooks: [] }],
      changes: [{ path: "out/done.txt", change: "added" }, { path: "old.txt", change: "changed" }],
      warnings: [],
    },
  };
}

function caseOf(graders: EvalGrader[], more: Partial<EvalCase["execution"]> = {}): EvalCase {
  return {
    name: "a",
    folder: "evals/a",
    graders,
    runnerOnly: [],
    tags: [],
    runs: 1,
    execution: {
      prompt: "go",
      max_turns: 10,
      timeout_seconds: 7,
      allowed_tools: [],
      disallowed_tools: [],
      ...more,
    },
  };
}

const playbook: Playbook = { lanes: [{ name: "main", turns: [{ text: "x" }] }] };

type Answer = (request: AgentSessionRequest) => Promise<AgentSessionResult>;

/** Plans a case with a playbook, or with none, and plays it with scripted sessions. */
const runCase = (
  each: EvalCase,
  playbook: Playbook | undefined,
  agent: string,
  answer: Answer,
  by: EvalRunner = "pth",
): Promise<EvalRunResult> => {
  const byTest = playbook === undefined ? {} : { [each.name]: playbook };
  const request = { agent: { agent, playbooks: { place: "books", byTest } }, by, filter: {}, workers: 1 };
  return playEval(planCase(each, request, false), answer);
};
const regex = (pattern: string, match = "contains", flags = ""): EvalGrader => ({
  type: "regex",
  name: `${match} ${pattern}${flags === "" ? "" : ` ${flags}`}`,
  weight: 1,
  target: "last_message",
  pattern,
  flags,
  match,
});

async function verdicts(graders: EvalGrader[], session: AgentSessionResult) {
  const result = await runCase(
    caseOf(graders),
    playbook,
    "command",
    () => Promise.resolve(session),
  );
  return result.graders.map(({ passed }) => passed);
}

t.test("regular expressions look at the last message or at the files that were made", async (t) => {
  const session = sessionOf("Hello Bob, hello");
  t.strictSame(
    await verdicts([
      regex("Hello Bob"),
      regex("hello bob"),
      regex("hello bob", "contains", "i"),
      regex("Alice", "not_contains"),
      regex("Bob", "not_contains"),
      regex("hello", "count:2", "i"),
      regex("hello", "count:2"),
      { ...regex("^out/done\\.txt$"), type: "regex", target: "files" } as EvalGrader,
      { ...regex("old"), type: "regex", target: "files" } as EvalGrader,
    ], session),
    [true, false, true, true, false, true, false, true, false],
  );
});

t.test("calls are counted and put in order, files are found by globs", async (t) => {
  const session = sessionOf("done", [
    call("find", { name: "rose" }),
    call("find", { name: "oak" }),
    call("buy", {}),
  ]);
  const head = { name: "g", weight: 1 };
  const used = (more: object) => ({ type: "tool_used", ...head, tool: "find", ...more }) as EvalGrader;
  const order = (before: object, after: object) =>
    ({ type: "tool_order", ...head, before, after }) as EvalGrader;
  const made = (path: string, exists = true): EvalGrader => ({ type: "file_exists", ...head, path, exists });
  const cases: [EvalGrader, boolean][] = [
    [used({}), true],
    [used({ max: 1 }), false],
    [used({ input_match: "oak", max: 1 }), true],
    [used({ tool: "fin" }), false],
    [used({ tool: "sell", min: 0, max: 0 }), true],
    [order({ tool: "find" }, { tool: "buy" }), true],
    [order({ tool: "buy" }, { tool: "find" }), false],
    [order({ tool: "find", input_match: "oak" }, { tool: "find", input_match: "rose" }), false],
    [order({ tool: "find" }, { tool: "sell" }), false],
    [made("**/*.txt"), true],
    [made("*.txt"), false],
    [made("old.txt", false), true],
    [made("out/*", false), false],
  ];
  for (const [grader, passed] of cases) {
    t.strictSame(await verdicts([grader], session), [passed], JSON.stringify(grader));
  }
});

t.test("the judge is asked in a session of its own, by its own turn, and both words or none are no pass", async (t) => {
  const llm: EvalGrader = {
    type: "llm",
    name: "greets",
    weight: 3,
    criteria: "Greets",
    focus: "last_message",
  };
  const asked: AgentSessionRequest[] = [];
  const judgedAs = (said: AgentSessionResult) =>
    runCase(caseOf([regex("Bob"), llm]), { ...playbook, judge: [{ text: "PASS" }] }, "claude", (request) => {
      asked.push(request);
      return Promise.resolve(request.prompt === "go" ? sessionOf("Hello Bob") : said);
    });
  t.match(await judgedAs(sessionOf("PASS")), { status: "passed", score: 1, problems: [] });
  t.match(asked, [
    { prompt: "go", timeoutMs: 7000, playbook: { lanes: [{ name: "main" }] } },
    {
      prompt: /Criterion:\nGreets\n[^]*\(last_message\):\nHello Bob\n[^]*PASS or FAIL/,
      playbook: { lanes: [{ name: "judge", turns: [{ text: "PASS" }] }] },
    },
  ]);
  t.match(await judgedAs(sessionOf("FAIL")), { status: "failed", score: 0.25 });
  t.match(await judgedAs(sessionOf("PASS or FAIL")), { status: "failed" });
  t.match(await judgedAs(sessionOf("fine")), { status: "failed" });
  t.match(await judgedAs(sessionOf("PASS", [], ["playbook: no"])), { status: "failed" });
});

t.test("no judge is asked about a session that failed", async (t) => {
  const llm: EvalGrader = { type: "llm", name: "j", weight: 1, criteria: "c", focus: "last_message" };
  let sessions = 0;
  const book = { ...playbook, judge: [{ text: "PASS" }] };
  const result = await runCase(caseOf([regex("ok"), llm]), book, "claude", () => {
    sessions++;
    return Promise.resolve(sessionOf("ok", [], ["playbook: turn 2 not played"]));
  });
  t.equal(sessions, 1);
  t.match(result, {
    status: "failed",
    graders: [{ passed: true }, { name: "j", passed: false, explanation: /not asked/ }],
  });
});

t.test("a session that cannot be run refuses the case with the reason", async (t) => {
  const result = await runCase(
    caseOf([regex("x")]),
    playbook,
    "claude",
    () => Promise.reject(new Error("no disk")),
  );
  t.match(result, { status: "refused", problems: ["no disk"] });
});

t.test("no playbook, no turn for the judge, and what PTH cannot know are refusals; nothing runs", async (t) => {
  const never = () => Promise.reject(new Error("it must not run"));
  const llm: EvalGrader = { type: "llm", name: "j", weight: 1, criteria: "c", focus: "last_message" };
  t.match(await runCase(caseOf([regex("x")]), undefined, "claude", never), {
    status: "refused",
    problems: ["it has no playbook"],
  });
  t.match(await runCase(caseOf([llm]), playbook, "claude", never), {
    status: "refused",
    problems: [/0 turns under `judge`, and needs one for each .*\(j\)/],
  });
  const odd = {
    ...caseOf([
      { ...regex("x"), type: "regex", name: "t", target: "trace" } as EvalGrader,
      { ...regex("x"), type: "regex", name: "f", target: { source: "file", path: "o.txt" } } as EvalGrader,
      { type: "baseline", name: "b", weight: 1, baseline_file: "b.jsonl", criteria: "c" } as EvalGrader,
    ]),
    runnerOnly: ["execution.env"],
  };
  const { status, problems } = await runCase(odd, playbook, "claude", never);
  t.equal(status, "refused");
  t.match(problems, [/execution\.env/, /grader t/, /the file o\.txt/, /grader b/]);
});

t.test("a session that fails, takes more turns or calls what the case does not allow is no pass", async (t) => {
  const run = (session: AgentSessionResult, more: Partial<EvalCase["execution"]> = {}) =>
    runCase(caseOf([regex("ok")], more), playbook, "claude", () => Promise.resolve(session));
  t.match(await run(sessionOf("ok", [], ["playbook: turn 2 not played"])), {
    status: "failed",
    problems: ["playbook: turn 2 not played"],
    graders: [{ passed: true }],
  });
  const calls = sessionOf("ok", [
    call("Bash", {}),
    call("Skill", {}),
    call("mcp__shop__find", {}),
    call("Edit", {}),
  ]);
  t.match((await run(calls)).problems, [/^Bash was/, /^mcp__shop__find was/, /^Edit was/]);
  t.match(await run(calls, { allowed_tools: ["Bash(git:*)", "mcp__shop__*", "Write"] }), {
    status: "passed",
  });
  t.match(
    (await run(calls, { allowed_tools: ["Bash", "mcp__shop", "Edit"], disallowed_tools: ["Skill"] }))
      .problems,
    [
      "Skill was called, which disallowed_tools has",
    ],
  );
  t.match((await run(sessionOf("ok", [], []), { max_turns: 0 })).problems, [
    /took 1 turn, and max_turns is 0/,
  ]);
});

t.test("Claude Code's own runner is asked for one case, judges thrice, and has to have a result of it", async (t) => {
  const llm: EvalGrader = { type: "llm", name: "j", weight: 1, criteria: "c", focus: "last_message" };
  const each = caseOf([regex("x"), llm], { allowed_tools: ["Skill"] });
  const book = { ...playbook, judge: [{ text: "PASS" }] };
  const ended = (text: string, failures: string[] = []) => {
    const asked: AgentSessionRequest[] = [];
    const result = runCase(each, book, "claude", (request) => {
      asked.push(request);
      return Promise.resolve(sessionOf(text, [], failures));
    }, "agent");
    return { asked, result };
  };
  const graders = [{ name: "contains x", passed: true, explanation: "matched" }, {
    name: "j",
    passed: true,
    explanation: "PASS PASS PASS",
  }];
  const good = ended(JSON.stringify({ cases: [{ name: "a", runs: [{ error: null, graders }] }] }));
  t.match(await good.result, { status: "passed", graders: [{ explanation: "matched" }, { type: "llm" }] });
  t.match(good.asked, [{
    agent: "claude-eval",
    evaluation: { name: "a", allowTools: ["Skill"], scaffold: false },
    playbook: { lanes: [{ name: "judge", turns: { length: 3 } }, { name: "main" }] },
  }]);
  const missing = ended(
    JSON.stringify({ cases: [{ runs: [{ error: "exit 1", graders: graders.slice(1) }] }] }),
  );
  t.match(await missing.result, {
    status: "failed",
    problems: ["exit 1"],
    graders: [{ passed: false, explanation: /does not judge it/ }, { passed: true }],
  });
  for (const text of ["", "Error: no cases", '{"cases":[]}', '{"cases":[{"runs":[]}]}']) {
    t.match(await ended(text).result, { status: "failed", problems: [/has no result of this case/] }, text);
  }
  const scripted = { ...each, runnerOnly: ["context.scaffold_script"] };
  const onHost = await runCase(scripted, book, "claude", () => Promise.reject(new Error("ran")), "agent");
  t.match(onHost, { status: "refused", problems: [/would run on this machine itself/] });
});
