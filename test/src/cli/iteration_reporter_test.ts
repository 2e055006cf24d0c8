import t from "tap";
import type { Convergence, IterationRecord } from "../../../machines/model/iteration.ts";
import { createIterationReporter } from "../../../src/cli/iteration_reporter.ts";

const record = (
  number: number,
  passed: [before: number, after: number],
  distro?: string,
): IterationRecord => {
  const standing = (passed: number) => ({ total: 2, passed, skipped: 2 - passed, failing: [] });
  return {
    ...{ number, at: "2026-01-01T00:00:00Z", before: standing(passed[0]), after: standing(passed[1]) },
    ...{ mended: [], broken: [], groups: [], fixes: [], refused: [], newTests: 0, health: [], timings: {} },
    ...(distro === undefined ? {} : { distro }),
  };
};

t.test("on another distribution tests are not compared with those of the one before", (t) => {
  let text = "";
  const output = { write: (part: string) => void (text += part), colour: false, isTerminal: false };
  const reporter = createIterationReporter({ ...output, columns: () => 80 }, () => undefined);
  const convergence = {} as Convergence;
  for (const one of [record(1, [0, 1], "debian13"), record(2, [1, 1], "debian13"), record(3, [2, 2])]) {
    reporter.follow({ type: "iteration.recorded", record: one, convergence });
  }
  t.same(text.match(/^Tests: .*$/gm), [
    "Tests: 1/2 passing on debian13, 1 skipped (↑1 from the start)",
    "Tests: 1/2 passing on debian13, 1 skipped (no change from iteration 1)",
    "Tests: 2/2 passing (no change from the start)",
  ]);
  t.end();
});
