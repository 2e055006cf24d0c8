import t from "tap";
import type { AgentSessionResult, TraceEntry } from "../../../../machines/model/agent_session.ts";
import { type JudgedPromptWork, judgePromptTest } from "../../../../src/testing/judge/judge_prompt_test.ts";
import { readChecklist } from "../../../../src/testing/judge/read_checklist.ts";
import { testOf } from "../observed.ts";

const test = testOf({
  prompt: "Leave a note.",
  checklist: ["there is a note"],
  verify: [{ exec: "cat note", expect: { expect_stdout: "milk" } }],
});
const session = (timeline: TraceEntry[], failures: string[] = []): AgentSessionResult => ({
  agent: "claude",
  version: "1.0.0",
  exit: undefined,
  stopped: undefined,
  trace: { format: "pth-agent-trace/1", timeline, changes: [], warnings: [] },
  drift: [],
  failures,
  played: 1,
  playbook: [],
});
const call = (tool: string, result: string | undefined): TraceEntry => ({
  type: "tool_call",
  lane: "main",
  id: "call-1",
  tool,
  input: {},
  ...(result === undefined ? {} : { result }),
  hooks: [],
});
const words = (value: unknown): AgentSessionResult =>
  session([{
    type: "turn",
    lane: "main",
    calls: [],
    text: typeof value === "string" ? value : JSON.stringify(value),
  }]);
const judged = (entry: object = {}) => ({
  checklist: [{ item: "there is a note", met: true, evidence: "written", ...entry }],
});
const work = (changes: Partial<JudgedPromptWork> = {}): JudgedPromptWork => ({
  session: session([call("mcp__notes__write", "written")]),
  judgement: words(judged()),
  commands: [{ command: test.verify[0]!, result: { code: 0, stdout: "milk", stderr: "" } }],
  ...changes,
});
const verdict = (changes: Partial<JudgedPromptWork> = {}) => judgePromptTest(test, work(changes), ["write"]);

t.test("a test passes where the agent used the plugin, and all is judged met and proved", (t) => {
  t.match(verdict(), {
    status: "passed",
    note: "1 call, 1 command verified\nthere is a note: written",
    checklist: [{ item: "there is a note", met: true, evidence: "written" }],
  });
  t.end();
});

t.test("a test does not pass where anything of it is missing", (t) => {
  const failed: [Partial<JudgedPromptWork>, string, RegExp][] = [
    [{ setupFailure: "no disk" }, "dependency-error", /^setup failed, no agent was started: no disk/],
    [{ timedOut: true }, "timeout", /^the agent was not done within its limit/],
    [{ error: "no claude is on PATH" }, "dependency-error", /^no claude is on PATH/],
    [
      { session: session([], ["playbook: ran dry"]) },
      "wrong-output",
      /^playbook: ran dry\n {2}no tool was called/,
    ],
    [
      { session: session([call("Bash", "ok")]) },
      "missing-side-effect",
      /none of the plugin's tools\n {2}called: Bash/,
    ],
    [
      { session: session([call("mcp__notes__write", undefined)]) },
      "missing-side-effect",
      /none of the plugin's/,
    ],
    [
      { commands: [{ command: test.verify[0]!, result: { code: 0, stdout: "", stderr: "" } }] },
      "missing-side-effect",
      /^verify/,
    ],
    [
      { judgement: words(judged({ met: false, evidence: "" })) },
      "missing-side-effect",
      /^not met: there is a note/,
    ],
    [
      { judgement: words(judged({ evidence: " " })) },
      "dependency-error",
      /not judged: .* met without evidence/,
    ],
    [{ judgement: words("All is well.") }, "dependency-error", /not judged: expected .* got All is well/],
    [
      { judgement: session([], ["claude was stopped"]) },
      "dependency-error",
      /not judged: claude was stopped/,
    ],
  ];
  for (const [changes, category, message] of failed) {
    t.match(verdict(changes), { status: "failed", category, message });
  }
  const { judgement: _, ...unjudged } = work();
  t.match(judgePromptTest(test, unjudged, ["write"]), {
    status: "failed",
    message: /no session has judged it/,
  });
  t.end();
});

t.test("a checklist is read out of a fence and words, and each item has to be there once", (t) => {
  const list = ["a", "b"];
  const entry = (item: unknown, met: unknown = true) => ({ item, met, evidence: "seen" });
  const read = (...checklist: unknown[]) => readChecklist(JSON.stringify({ checklist }), list).problems;
  t.match(
    readChecklist(
      `So:\n\`\`\`json\n${JSON.stringify({ checklist: [entry("b "), entry("a", false)] })}\n\`\`\``,
      list,
    ),
    {
      items: [{ item: "a", met: false }, { item: "b", met: true }],
      problems: [],
    },
  );
  t.strictSame(read(entry("a")), ['"b" is judged not at all']);
  t.strictSame(read(entry("a"), entry("a"), entry("b")), ['"a" is judged 2 times']);
  t.strictSame(read(entry("a"), entry("b", "yes")), ['"b": expected met: true or false, got "yes"']);
  t.strictSame(read(entry("a"), entry("b"), entry("c"), 7), [
    'no item of this test: "c"',
    "no item of this test: 7",
  ]);
  t.end();
});
