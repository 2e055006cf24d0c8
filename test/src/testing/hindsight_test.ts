import t from "tap";
import type { Verdict } from "../../../machines/model/test_result.ts";
import { createHindsight } from "../../../src/testing/hindsight.ts";
import { testOf } from "./observed.ts";

const generated = (tool: string, name = "g") => testOf({ name, tool, expect: { well_behaved: true } });
const silence: Verdict = { status: "failed", category: "timeout", findings: [] };

t.test("a tool that gave no answer is not waited for again", (t) => {
  const hindsight = createHindsight();
  t.equal(hindsight.foresee(generated("x")), undefined);
  hindsight.learn(generated("x", "first"), silence);
  hindsight.learn(generated("x", "second"), silence);
  t.match(hindsight.foresee(generated("x")), {
    status: "skipped",
    note: 'not run: x gave no answer in "first"',
  });
  t.equal(hindsight.foresee(generated("y")), undefined, "other tools are");
  t.equal(hindsight.foresee(testOf({ tool: "x" })), undefined, "tests by hand always run");
  t.end();
});

t.test("nothing else spares a test", (t) => {
  const hindsight = createHindsight();
  hindsight.learn(generated("x"), { ...silence, category: "runtime-exception" });
  hindsight.learn(generated("x"), { status: "skipped", note: "slow", findings: [] });
  hindsight.learn(testOf({ tool: "x" }), silence);
  hindsight.learn(testOf({ check: "tools_list" }), silence);
  t.equal(hindsight.foresee(generated("x")), undefined);
  t.end();
});
