import t from "tap";
import type { TestCase } from "../../../../machines/model/test_case.ts";
import type { TestResult } from "../../../../machines/model/test_result.ts";
import { exerciseOfTools } from "../../../../src/testing/exercise/exercise_of_tools.ts";
import { refusalsDifferNote } from "../../../../src/testing/judge/refusals_differ.ts";
import { refusalNote } from "../../../../src/testing/exercise/unmet_need.ts";

const base = { tier: 1, verify: [], setup: [], teardown: [], tags: [], generatedFrom: "schema" } as const;
const test = (id: string, rest: Partial<TestCase>): TestCase =>
  ({ ...base, id, name: id, expect: { well_behaved: true }, ...rest }) as unknown as TestCase;
const result = (id: string, status: TestResult["status"], rest: Partial<TestResult> = {}): TestResult =>
  ({ id, name: id, tier: 1, status, findings: [], durationMs: 1, startedAt: 0, ...rest }) as TestResult;

const exercise = (
  tests: TestCase[],
  results: TestResult[],
  heldBack: { tool: string; reason: string }[] = [],
) => exerciseOfTools({ tools: ["act"], tests, results, heldBack })[0];

t.test("a tool whose valid call was accepted is exercised, however many others were refused", (t) => {
  const tests = [test("a", { tool: "act" }), test("b", { tool: "act" })];
  const results = [result("a", "skipped", { note: refusalNote("no such file") }), result("b", "passed")];
  t.same(exercise(tests, results), { tool: "act", state: "exercised" });
  t.end();
});

t.test("a refusal that was expected exercises nothing; its control does", (t) => {
  const refuses = test("a", { tool: "act", expect: { refuses: "enum" } });
  t.match(exercise([refuses], [result("a", "passed")]), { state: "not_reached", reason: /must refuse/ });
  const controlled = { ...refuses, control: { input: {} } };
  t.match(exercise([controlled], [result("a", "passed")]), { state: "exercised" });
  t.match(exercise([controlled], [result("a", "skipped", { note: "inconclusive: …" })]), {
    state: "not_reached",
    reason: "inconclusive: …",
  });
  t.match(exercise([controlled], [result("a", "passed", { note: refusalsDifferNote })]), {
    state: "not_reached",
  });
  for (const expect of [{ success: false }, { error_contains: "no" }]) {
    t.match(exercise([test("a", { tool: "act", expect })], [result("a", "passed")]), {
      state: "not_reached",
    });
  }
  t.end();
});

t.test("a refused tool says what it lacks, in its own words", (t) => {
  const refused = (words: string) =>
    exercise([test("a", { tool: "act" })], [result("a", "skipped", { note: refusalNote(words) })]);
  for (
    const [words, needs] of [
      ["getaddrinfo ENOTFOUND api.example.com", "network"],
      ["fetch failed", "network"],
      ["Error: Rate limit exceeded: Maximum 1 request(s) per second", "network"],
      ["Cannot resolve path 'example.pdf': No such file or directory", "fixture"],
      ["Git clone failed: fatal: unable to access: Could not resolve host: example.com", "network"],
      ["Cannot resolve path 'a.pdf': No such file or directory (os error 2)", "fixture"],
      ["page.goto: net::ERR_NAME_NOT_RESOLVED", "network"],
      ["socket hang up", "network"],
      ["timeout of 5000ms exceeded", "network"],
      ["HTTPSConnectionPool: Name or service not known", "network"],
      ["Error: Invalid version: example", "value"],
      ["Error: Invalid time zone specified", "value"],
      ["Error: Unknown temperature unit: example", "value"],
      ["Invalid usage request: component and code are required.", "value"],
      ["Cannot specify both head and tail parameters simultaneously", "value"],
      ['"usages" must contain at least one item.', "value"],
      ["The path argument must be of type string. Received undefined", "value"],
      ["The project must be initialized first", "fixture"],
      ["Error: Working directory does not exist: pth-example.txt", "fixture"],
      ["BRAVE_API_KEY is not set", "credential"],
      ["401 Unauthorized", "credential"],
      ["browserType.launch: Executable doesn't exist at /root/.cache", "browser"],
      ["could not connect to postgres", "database"],
      ["spawn convert ENOENT", "program"],
      ["Tool 'act' requires task augmentation", "task support"],
      ["mode must be one of: fast, slow", "value"],
      ["no such file or directory: example", "fixture"],
      ["", "fixture"],
    ] as const
  ) t.match(refused(words), { state: "refused", needs, reason: words || "(no words)" }, words);
  t.end();
});

t.test("failures come before refusals, and both before what is held back", (t) => {
  const tests = ["a", "b"].map((id) => test(id, { tool: "act" }));
  const refused = result("a", "skipped", { note: refusalNote("no") });
  const held = [{ tool: "act", reason: 'its name says "delete"' }];
  t.match(exercise(tests, [refused, result("b", "failed", { message: "boom\nmore" })], held), {
    state: "failing",
    reason: /^boom/,
  });
  t.match(exercise(tests, [refused], held), { state: "refused" });
  t.same(exercise([], [], held), { tool: "act", state: "excluded", reason: held[0]!.reason });
  t.same(exercise([], []), { tool: "act", state: "not_reached", reason: "no test calls it" });
  t.end();
});

t.test("a step exercises its tool unless an error or a cancellation is what it expects", (t) => {
  const call = (rest: object) => ({
    action: { kind: "call", tool: "act", input: {} },
    expect: {},
    capture: {},
    verify: [],
    ...rest,
  });
  const stepped = (rest: object) =>
    exercise([test("a", { tier: 2, expect: {}, steps: [call(rest)] as never })], [result("a", "passed")]);
  t.match(stepped({}), { state: "exercised" });
  t.match(stepped({ expect: { success: false } }), { state: "not_reached" });
  t.match(stepped({ cancel: { afterMs: 1 } }), { state: "not_reached" });
  t.end();
});
