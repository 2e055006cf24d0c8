import t from "tap";
import { type RecordedCall, scenarioOf } from "../../../src/traffic/scenario.ts";
import { interpolateTest } from "../../../src/testing/format/interpolate.ts";
import { parseTests } from "../../../src/testing/format/parse.ts";
import { serializeTests } from "../../../src/testing/format/serialize_tests.ts";
import { replaceVariables } from "../../../src/testing/format/variables.ts";

const call = (
  tool: string,
  input: Record<string, unknown>,
  answer: unknown,
  isError = false,
): RecordedCall => ({
  tool,
  input,
  outcome: {
    kind: "result",
    raw: {},
    text: typeof answer === "string" ? answer : JSON.stringify(answer),
    isError,
    violations: [],
    durationMs: 1,
  },
});

t.test("a value that one call answered and a later one was given becomes a capture", (t) => {
  const { steps = [] } = scenarioOf("users", [
    call("create_user", { name: "anna" }, { user: { id: "u-4711", name: "anna" }, ok: true }),
    call("get_user", { id: "u-4711", deep: ["u-4711"] }, { id: "u-4711", groups: ["wheel"] }),
  ], "here");
  t.same(steps[0]!.capture, { id: "$.output.user.id" });
  t.same(steps[1]!.action, { kind: "call", tool: "get_user", input: { id: "$id", deep: ["$id"] } });
  t.same(steps[0]!.expect, { success: true, output_json_contains: { user: { name: "anna" }, ok: true } });
  t.same(steps[1]!.expect, { success: true, output_json_contains: { groups: ["wheel"] } }, "nor there");
  t.end();
});

t.test("what the caller knew by itself, and what is equal by chance, is no capture", (t) => {
  const { steps = [] } = scenarioOf("echo", [
    call("echo", { text: "hello" }, { said: "hello", n: 1 }),
    call("echo", { text: "hello", n: 1 }, { said: "hello" }),
  ], "here");
  t.same(steps.map(({ capture }) => capture), [{}, {}]);
  t.end();
});

t.test("only what would be answered again is expected", (t) => {
  const { steps = [] } = scenarioOf("clock", [
    call("now", {}, { at: "2026-11-22T05:00:00Z", zone: "UTC", duration_ms: 3 }),
    call("say", {}, "It is 2026-11-22T05:00:00Z."),
    call("say", {}, "plain"),
    call("fail", {}, "no such user\nat line 3", true),
    call("fail", {}, "no file /tmp/x-17", true),
  ], "here");
  t.same(steps.map(({ expect }) => expect), [
    { success: true, output_json_contains: { zone: "UTC" } },
    { success: true },
    { success: true, output_equals: "plain" },
    { success: false, error_contains: "no such user" },
    { success: false },
  ]);
  t.end();
});

t.test("what an answer says of variables is text: it neither names one of PTH's nor asks for it", (t) => {
  const answers = ["set ${env:TOKEN}", { text: "${env:TOKEN}", n: 1 }];
  const calls = answers.map((answer) => call("say", { text: "${env:TOKEN}" }, answer));
  const made = scenarioOf("says", calls, "here");
  const [read] = parseTests("a.yaml", serializeTests([made]));
  const [first, second] = interpolateTest(read!, new Map([["TOKEN", "secret"]])).steps!;
  t.same(first!.expect, { success: true, output_equals: "set ${env:TOKEN}" });
  t.same(second!.expect, { success: true, output_json_contains: { text: "${env:TOKEN}", n: 1 } });
  t.same(replaceVariables(first!.action, {}), {
    kind: "call",
    tool: "say",
    input: { text: "${env:TOKEN}" },
  });
  t.end();
});

t.test("a scenario reads back as it was, also with dollars in its texts", (t) => {
  const made = scenarioOf("costs $5", [call("price", { text: "$5 for $name" }, "ok")], "here");
  const [read] = parseTests("a.yaml", serializeTests([made]));
  t.same(read!.steps![0]!.action, { kind: "call", tool: "price", input: { text: "$$5 for $$name" } });
  t.same(read!.origin, "here");
  t.end();
});
