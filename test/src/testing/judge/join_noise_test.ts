import t from "tap";
import type { StdoutNoise } from "../../../../machines/model/verdict.ts";
import type { TestResult } from "../../../../machines/model/test_result.ts";
import { StartLines } from "../../../../src/testing/judge/start_lines.ts";
import { joinNoise, strayText } from "../../../../src/testing/judge/join_noise.ts";
import { judge } from "../../../../src/testing/judge/judge.ts";
import { answered, observed, refused, testOf } from "../observed.ts";

const passing = { status: "passed" } as const;

/** Result of a test of the tool that failed for its noise alone. */
const noisy = (
  id: string,
  { tool = "save", lines = ["saving"], firstCall = 0, started = [], otherwise = passing, ...more }:
    & Partial<TestResult & StdoutNoise>
    & { tool?: string } = {},
): TestResult => ({
  id,
  name: id,
  tier: 1,
  tool,
  generatedFrom: "schema",
  durationMs: 1,
  startedAt: 0,
  status: "failed",
  category: "protocol-error",
  message: `${tool} ${strayText(lines)}\n  called with: {}`,
  findings: [],
  noise: { lines, firstCall, started, otherwise },
  ...more,
});

function join(results: TestResult[], ...starts: string[][]): TestResult[] {
  const startLines = new StartLines();
  for (const lines of starts) startLines.note(lines);
  return joinNoise(results, { lines: startLines, fail: true });
}

t.test("the tests of a tool that fail for noise on stdout are one failure, the first's", (t) => {
  const joined = join([
    noisy("a"),
    noisy("b"),
    noisy("c", { otherwise: { status: "skipped", note: "refused: needs a fixture: none" } }),
    noisy("other", { tool: "load" }),
  ]);
  t.match(joined, [
    { id: "a", status: "failed", category: "protocol-error", message: /wrote a line on stdout .*saving/ },
    { id: "b", status: "passed", note: /^save wrote a line on stdout .*saving.*; "a" fails for it$/ },
    { id: "c", status: "skipped", note: /^refused: needs a fixture: none; save wrote a line/ },
    { id: "other", status: "failed", message: /^load wrote a line/ },
  ]);
  t.match(joined[0]!.message, /it did so in 2 more tests, which are judged without: "b", "c"$/);
  t.notMatch(joined[3]!.message, /more test/);
  t.notOk(joined.some((result) => "noise" in result));
  t.notOk("category" in joined[1]! || "message" in joined[1]!);
  t.end();
});

t.test("many of them are counted", (t) => {
  const [first] = join(["a", "b", "c", "d", "e", "f", "g", "h"].map((id) => noisy(id)));
  t.match(first!.message, /it did so in 7 more tests, .*: "b", "c", "d", "e", "f", 2 more$/);
  t.end();
});

t.test("one that failed each time counts before one that passed once", (t) => {
  const flaky = noisy("a", { status: "flaky" });
  t.match(join([flaky, noisy("b")]), [{ status: "passed" }, { status: "failed" }]);
  t.match(join([flaky]), [{ status: "flaky" }]);
  t.end();
});

t.test("a line of the start that came with the first call of a server is no fault of its tool", (t) => {
  const late = { lines: ["ready"], firstCall: 1 };
  const searched = [{
    severity: "warning" as const,
    code: "depends-on-order",
    message: "fails on a fresh server",
  }];
  t.match(join([noisy("a", { ...late, findings: searched })], ["ready"]), [
    {
      status: "passed",
      note: /^the server, while it started, wrote a line on stdout .*"ready"/,
      findings: [],
    },
  ]);
  t.match(join([noisy("a", late)]), [{ status: "failed" }], "unless no start wrote it");
  t.match(join([noisy("a", { lines: ["ready"] })], ["ready"]), [{ status: "failed" }], "or it came later");
  const again = noisy("a", { ...late, started: ["ready"] });
  t.match(join([again], ["ready"]), [{ status: "failed" }], "or its own start had written it");
  t.match(join([again], ["ready", "ready"]), [{ status: "passed" }], "which another start did twice");
  t.match(join([noisy("a", { lines: ["12:05 on port 93"], firstCall: 1 })], ["11:59 on port 7"]), [
    { status: "passed" },
  ]);
  const [both] = join([noisy("a", { lines: ["ready", "saving"], firstCall: 2 })], ["ready"]);
  t.match(both, {
    status: "failed",
    message: /^save wrote a line on stdout that no MCP client can read: "saving"/,
  });
  t.end();
});

t.test("a line of the start that no check fails for stays one failure, of the server", (t) => {
  const lines = new StartLines();
  lines.note(["ready"]);
  const late = { lines: ["ready"], firstCall: 1 };
  const joined = joinNoise([noisy("a", late), noisy("b", { ...late, tool: "load" })], { lines, fail: false });
  t.match(joined, [
    { status: "failed", message: /^the server, while it started, wrote a line on stdout .*"ready"/ },
    { status: "passed", note: /"a" fails for it$/ },
  ]);
  t.match(joined[0]!.message, /it did so in 1 more test, which is judged without: "b"$/);
  t.end();
});

t.test("a verdict without the noise is the judge's own", (t) => {
  const test = testOf({ expect: { well_behaved: true }, generatedFrom: "schema" });
  const seen = (outcome: ReturnType<typeof answered>) =>
    judge(test, observed({ outcome, strayOutput: ["hi"] }));
  t.match(seen(answered("ok")).noise, { lines: ["hi"], otherwise: { status: "passed" } });
  t.match(seen(refused("no fixture")).noise, { otherwise: { status: "skipped", note: /no fixture/ } });
  const leaked = seen(refused("x.y is not a function"));
  t.equal(leaked.noise, undefined, "another failure stays one");
  t.match(leaked.note, /wrote a line on stdout/);
  t.end();
});
