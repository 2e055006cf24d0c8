import t from "tap";
import type { StepObservation, StepResult } from "../../../../machines/model/observation.ts";
import type { StepAction, TestCase, TestStep } from "../../../../machines/model/test_case.ts";
import { captureFrom, judgeStep } from "../../../../src/testing/judge/judge_step.ts";
import { judgeSteps } from "../../../../src/testing/judge/judge_steps.ts";
import { answered, observed, refused, testOf } from "../observed.ts";
import type { CallOutcome } from "../../../../machines/model/plugin.ts";
import { pathProblem } from "../../../../src/testing/match/values_at.ts";

const call: StepAction = { kind: "call", tool: "get", input: { id: 1 } };

function scenario(...steps: Partial<TestStep>[]): TestCase {
  const { tool: _tool, input: _input, ...test } = testOf({ tier: 2, file: "a.yaml", line: 1 });
  return {
    ...test,
    steps: steps.map((step, index) => ({
      action: call,
      expect: {},
      capture: {},
      verify: [],
      line: 10 + index,
      column: 3,
      ...step,
    })),
  };
}
const seen = (more: Partial<StepResult> = {}): StepResult => ({
  action: call,
  outcome: answered("ok"),
  unscripted: [],
  unused: { elicitation: 0, sampling: 0 },
  ...more,
});
const weigh = (step: Partial<TestStep>, what: Partial<StepResult> = {}, commands = []): StepObservation =>
  judgeStep({ test: scenario({}, step), index: 1, seen: seen(what), commands });

t.test("a step that holds gives what it captures to the next", (t) => {
  const { verdict, captured } = weigh({ capture: { id: "$.output.id" } }, { outcome: answered('{"id":7}') });
  t.match(verdict, { status: "passed" });
  t.same(captured, { id: 7 });
  t.end();
});

t.test("a step that fails tells its number, tool, what was sent and where it stands", (t) => {
  const { verdict, captured } = weigh({ expect: { output_contains: "x" }, capture: { id: "$.text" } }, {
    action: { kind: "call", tool: "get", input: { id: 42 } },
  });
  t.match(verdict, { status: "failed", category: "wrong-output", failedStep: 1 });
  t.match(verdict.message, /^step 2 \(get\): output_contains/);
  t.match(verdict.message, /called with: \{"id":42\}/);
  t.match(verdict.message, /at a\.yaml:11:3$/);
  t.same(captured, {}, "nothing is taken out of an answer that is wrong");
  t.end();
});

t.test("a path that finds nothing fails its step", (t) => {
  const { verdict } = weigh({ capture: { id: "$.output.id" } }, { outcome: answered("{}") });
  t.match(verdict, {
    status: "failed",
    category: "wrong-output",
    message: /step 2 \(get\): cannot capture id/,
  });
  t.end();
});

t.test("what is left of a script, or too little of it, fails; a refusal is the better news", (t) => {
  const left = { unused: { elicitation: 1, sampling: 2 } };
  t.match(weigh({}, left).verdict, {
    category: "missing-side-effect",
    message: /1 elicitation reply and 2 sampling replies left/,
  });
  t.match(weigh({}, { ...left, outcome: refused("no") }).verdict, { category: "wrong-output" });
  t.match(weigh({}, { unscripted: ["elicitation/create"] }).verdict, { category: "unexpected-side-effect" });
  t.end();
});

t.test("a cancelled call passes where the server lives on, whatever it would have answered", (t) => {
  const cancel = { afterMs: 50 };
  const without = (more: object): StepResult => {
    const { outcome: _none, ...rest } = seen();
    return { ...rest, ...more };
  };
  const judged = (what: StepResult) =>
    judgeStep({ test: scenario({ cancel }), index: 0, seen: what, commands: [] }).verdict;
  t.match(judged(without({ cancelled: { afterMs: 51, alive: true } })), {
    status: "passed",
    note: "cancelled after 51 ms",
  });
  t.match(judged(without({ cancelled: { afterMs: 51, alive: false } })), { category: "timeout" });
  t.match(judged(seen()), { category: "wrong-output", message: /was not cancelled/ });
  t.end();
});

t.test("the text of a resource is judged like an answer, and is no tool that tools/list lacks", (t) => {
  const action: StepAction = { kind: "read_resource", uri: "a://b" };
  const { verdict } = weigh({ action, expect: { output_contains: "x" } }, { action });
  t.match(verdict.message, /^step 2 \(resources\/read a:\/\/b\): output_contains/);
  t.notMatch(verdict.message, /tools\/list/);
  t.end();
});

t.test("the verdict of the whole: the step that failed, what cut it short, else its own commands", (t) => {
  const passed = weigh({});
  const failed = weigh({ expect: { output_contains: "x" } });
  const test = { ...scenario({}, {}), checklist: ["all is well"] };
  const { outcome: _none, ...nothing } = observed({});
  t.match(judgeSteps(test, { ...nothing, steps: [passed, failed] }), { status: "failed", failedStep: 1 });
  t.match(judgeSteps(test, { ...nothing, steps: [passed, passed] }), {
    status: "passed",
    note: /judged by a person or an agent:\n {2}- all is well/,
  });
  const timedOut = { afterMs: 1000, answersPing: true };
  const late = judgeSteps(test, { ...nothing, steps: [passed], timedOut });
  t.match(late, { category: "timeout", failedStep: 1, message: /^step 2 \(get\) gave no answer within 1 s/ });
  t.match(judgeSteps(test, { ...nothing, setupFailure: "no disk" }), { category: "dependency-error" });
  t.notOk("failedStep" in judgeSteps(test, { ...nothing, setupFailure: "no disk" }));
  const command = { exec: "false", expect: {} };
  const commands = [{ command, result: { code: 1, stdout: "", stderr: "" } }];
  const unverified = judgeSteps(test, { ...nothing, steps: [passed, passed], commands });
  t.match(unverified, { category: "missing-side-effect", message: /^the test: verify "false"/ });
  t.notOk("failedStep" in unverified, "all steps held");
  t.end();
});

const outcome = (more: Partial<CallOutcome>): CallOutcome => answered("", more);

t.test("output is the structured content, else the text as JSON, else the text", (t) => {
  const capture = { value: "$.output" };
  const structured = outcome({ text: '{"a":1}', structuredContent: { b: 2 } });
  t.same(captureFrom(structured, capture).values, { value: { b: 2 } });
  t.same(captureFrom(outcome({ text: '{"a":1}' }), capture).values, { value: { a: 1 } });
  t.same(captureFrom(outcome({ text: "[1" }), capture).values, { value: "[1" });
  t.same(captureFrom(outcome({ text: "42" }), capture).values, { value: 42 });
  t.end();
});

t.test("text, content, structured content and isError can be captured, with their types", (t) => {
  const answer = outcome({
    text: "hello",
    content: [{ type: "text", text: "hello" }, { type: "image", data: "AA==" }],
    structuredContent: { ids: [7, 8], none: null },
    isError: true,
  });
  const { values, problems } = captureFrom(answer, {
    text: "$.text",
    second: "$.content[1].type",
    id: "$.structuredContent.ids[0]",
    ids: "$.output.ids[*]",
    list: "$.output.ids",
    none: "$.output.none",
    failed: "$.isError",
  });
  t.same(problems, []);
  t.same(values, {
    text: "hello",
    second: "image",
    id: 7,
    ids: [7, 8],
    list: [7, 8],
    none: null,
    failed: true,
  });
  t.end();
});

t.test("a pattern captures what its group matches in the text, as a number where that is asked for", (t) => {
  const answer = outcome({ text: "Task ID: t-1, note 5" });
  const { values, problems } = captureFrom(answer, {
    id: "/Task ID: ([\\w-]+)/",
    text: "/note (\\d+)/",
    number: "/note (\\d+)/number",
    none: "/no such (\\d+)/",
  });
  t.same(values, { id: "t-1", text: "5", number: 5 });
  t.match(problems, ["none: nothing at /no such"]);
  t.end();
});

t.test("a generated step whose answer has nothing to capture is skipped", (t) => {
  const { verdict } = weigh({ expect: { well_behaved: true }, capture: { id: "$.output.id" } }, {
    outcome: answered("{}"),
  });
  t.match(verdict, { status: "skipped", note: /its answer has nothing for the next step: id: nothing at/ });
  t.end();
});

t.test("a path that finds nothing names itself and what was there, the others are captured", (t) => {
  const { values, problems } = captureFrom(outcome({ text: '{"uid":1000}' }), {
    gid: "$.output.gid",
    uid: "$.output.uid",
  });
  t.same(values, { uid: 1000 });
  t.same(problems, ['gid: nothing at $.output.gid\n  output (text read as JSON): {"uid":1000}']);
  const [plain] = captureFrom(outcome({ text: "created" }), { gid: "$.output.gid" }).problems;
  t.equal(plain, 'gid: nothing at $.output.gid\n  output is text: "created"');
  t.end();
});

t.test("filters with match and search choose among elements", (t) => {
  const text = JSON.stringify([{ id: 1, name: "ann" }, { id: 2, name: "bea" }, { id: 3, name: "x\nbea" }]);
  const take = (path: string) => captureFrom(outcome({ text }), { v: path }).values.v;
  t.equal(take("$.output[?@.name == 'bea'].id"), 2);
  t.equal(take("$.output[?match(@.name, 'b.a')].id"), 2);
  t.same(take("$.output[?search(@.name, 'e[.]?a')].id"), [2, 3]);
  t.equal(take("$.output[?match(@.name, 'x.bea')].id"), undefined, "a dot is no line feed");
  t.equal(take("$.output[?match(@.name, '(')].id"), undefined, "what is no pattern matches nothing");
  t.end();
});

t.test("a pattern in a path that runs away ends, as does an answer without end in depth", (t) => {
  const text = JSON.stringify([`${"a".repeat(60)}!`]);
  const before = performance.now();
  const { problems } = captureFrom(outcome({ text }), { v: "$.output[?match(@, '(a+)+')]" });
  t.match(problems[0], /^v: .*runs away on a text of 61 characters/);
  t.ok(performance.now() - before < 30_000);
  const deep = `${"[".repeat(3000)}${"]".repeat(3000)}`;
  t.match(captureFrom(outcome({ text: deep }), { v: "$..x" }).problems[0], /^v: \$\.\.x: /);
  t.end();
});

t.test("a path with a mistake says where", (t) => {
  t.equal(pathProblem("$.output.users[0]['name'].x"), undefined);
  t.equal(pathProblem("output.id"), "it begins with $, as in $.output.id");
  t.equal(pathProblem("$.output["), "unclosed bracketed selection (character 10)");
  t.match(pathProblem("$.output.."), /bald descendant segment \(character \d+\)/);
  t.match(pathProblem("$[?nope(@)]"), "no such function 'nope'");
  t.end();
});
