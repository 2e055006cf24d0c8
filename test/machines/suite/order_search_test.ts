import t from "tap";
import type { PlannedTest } from "../../../machines/model/observation.ts";
import type { Verdict } from "../../../machines/model/verdict.ts";
import {
  advance,
  beginSearch,
  type Conclusion,
  differs,
  divideByTime,
  isConclusion,
  isRepeatable,
  type OrderEntry,
  trialOf,
} from "../../../machines/suite/order_search.ts";
import { testOf } from "../../src/testing/observed.ts";

const passed: Verdict = { status: "passed", findings: [] };
const failed: Verdict = { status: "failed", message: "no", findings: [] };

function planned(id: string, expect: Record<string, unknown> = {}): PlannedTest {
  const test = testOf({ id, name: id, expect });
  return { test, timeoutMs: 1000, extendable: false, openEnded: true };
}

const entry = (
  verdict: Verdict,
  observation: object = {},
  expect: Record<string, unknown> = {},
): OrderEntry => ({
  planned: planned("target", expect),
  verdict,
  observation: { commands: [], outcome: { durationMs: 1 }, ...observation } as never,
});

/** Searches among tests 0 to `size` - 1, where `shows` says what a trial brings; counts the trials. */
function search(size: number, shows: (ids: string[], trial: number) => boolean) {
  const before = Array.from({ length: size }, (_, id) => planned(String(id)));
  let at: ReturnType<typeof advance> = beginSearch({ entry: entry(passed), verdict: failed, before });
  let trials = 0;
  while (!isConclusion(at)) at = advance(at, shows(trialOf(at).map(({ test }) => test.id), ++trials));
  return { conclusion: at as Conclusion, trials };
}

t.test("the one test that shows it is found among many in few trials", (t) => {
  for (const culprit of [0, 1, 49, 98, 99]) {
    const { conclusion, trials } = search(100, (ids) => ids.includes(String(culprit)));
    t.match(conclusion, { kind: "pair", first: { test: { id: String(culprit) } } });
    t.ok(trials <= 15, `${trials} trials`);
  }
  t.end();
});

t.test("a single test before it is tried before it is blamed", (t) => {
  t.match(search(1, (ids) => ids.length === 1).conclusion, { kind: "pair" });
  t.same(search(1, () => false).conclusion, { kind: "not_again" });
  t.end();
});

t.test("what shows on a fresh server, too, is laid on no test", (t) => {
  t.same(search(10, () => true), { conclusion: { kind: "repeated" }, trials: 1 });
  t.end();
});

t.test("tests of which no half is enough are told together", (t) => {
  const { conclusion } = search(4, (ids) => ids.includes("0") && ids.includes("3"));
  t.equal(conclusion.kind, "several");
  t.end();
});

t.test("what does not show again is not blamed on anything", (t) => {
  t.same(search(8, () => false).conclusion, { kind: "not_again" });
  t.same(search(0, () => false).conclusion, { kind: "not_again" });
  t.end();
});

t.test("a server whose answers change at every trial ends the search, too", (t) => {
  const { conclusion, trials } = search(100_000, (ids) => ids.length > 0);
  t.same(conclusion, { kind: "unknown" });
  t.equal(trials, 16);
  t.end();
});

t.test("a refusal of what was accepted before is no difference, a failure is", (t) => {
  const refused: Verdict = { status: "skipped", note: "refused", findings: [] };
  t.notOk(differs(passed, refused));
  t.notOk(differs(refused, passed));
  t.ok(differs(refused, failed));
  t.ok(differs(failed, refused));
  t.end();
});

t.test("only tests that were answered soon, or lost their server, are repeated", (t) => {
  t.ok(isRepeatable(entry(passed)));
  t.notOk(isRepeatable(entry(passed, { outcome: { durationMs: 901 } })));
  t.notOk(isRepeatable(entry({ ...failed, category: "timeout" })));
  t.ok(isRepeatable(entry(failed, { outcome: undefined, loss: {} })));
  t.notOk(isRepeatable(entry(failed, { outcome: undefined, callError: new Error("no server") })));
  const skipped: Verdict = { status: "skipped", findings: [] };
  t.notOk(isRepeatable(entry(skipped)), "an inconclusive negative test shows nothing");
  t.ok(isRepeatable(entry(skipped, {}, { well_behaved: true })));
  t.end();
});

t.test("entries are repeated as far as the time goes", (t) => {
  const slow = entry(passed, { outcome: { durationMs: 400 } });
  const { within, beyond, ms } = divideByTime([slow, slow, slow], 900);
  t.same([within.length, beyond.length, ms], [2, 1, 800]);
  t.end();
});
