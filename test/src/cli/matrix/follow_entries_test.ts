import t from "tap";
import { followEntries } from "../../../../src/cli/matrix/follow_entries.ts";
import { PthError } from "../../../../src/core/errors.ts";
import type { PublishedEvent } from "../../../../src/api/harness.ts";
import type { EntryRun } from "../../../../src/matrix/combine_runs.ts";
import { entryOf } from "../../../../src/matrix/matrix_entries.ts";
import spec from "../../../../src/testing/reporters/spec.ts";

const entries = [entryOf({ runtime: "vm" }), entryOf({ image: "debian12" })] as const;

/** What the steps of two entries look like where they are read. */
function told(make: (follow: ReturnType<typeof followEntries>) => void): string {
  let text = "";
  const write = (part: string) => void (text += part);
  const reporter = spec.create({ write, colour: false, isTerminal: false, columns: () => 80 });
  make(followEntries(entries, (fact: PublishedEvent) => reporter[fact.type]?.(fact as never)));
  return text;
}

const run = (failed: number): EntryRun => ({
  entry: entries[0],
  durationMs: 2000,
  report: { summary: { total: 2, passed: 2 - failed, failed, skipped: 0, flaky: 0, durationMs: 1 } } as never,
});

t.test("steps of entries stand in columns; only what is not well has a mark of its own", (t) => {
  const text = told((follow) => {
    const [vm, debian] = entries.map(follow);
    vm!.fact({ type: "step.finished", phase: "provision", message: "vm", durationMs: 1000 });
    debian!.fact({ type: "step.finished", phase: "start", message: "up", durationMs: 1000 });
    vm!.over(run(0));
    debian!.over(run(1));
    debian!.over({ entry: entries[1], durationMs: 1, error: new PthError("INTERNAL", "Cannot: no\nmore") });
  });
  t.equal(
    text,
    [
      "✓ vm       provision vm (1.0 s)",
      "✓ debian12 start     up (1.0 s)",
      "✓ vm       tests     2 tests, 2 passed, 0 failed, 0 skipped (2.0 s)",
      "! debian12: 2 tests, 1 passed, 1 failed, 0 skipped",
      "! debian12: not tested. Cannot: no",
      "",
    ].join("\n"),
  );
  t.end();
});

t.test("a suite that ends does not hide what another entry still does", (t) => {
  const text = told((follow) => {
    const [vm, debian] = entries.map(follow);
    vm!.fact({ type: "step.started", phase: "provision", message: "a machine" });
    debian!.fact({ type: "suite.started", tests: [], workers: 1, workersReason: "one" } as never);
    debian!.fact({ type: "suite.finished", summary: run(0).report!.summary });
    vm!.fact({ type: "step.failed", phase: "provision", error: new Error("no") });
  });
  t.match(text, /^✗ vm {7}provision failed after \d/m);
  t.end();
});
