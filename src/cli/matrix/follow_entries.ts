/** The facts of sessions that go on side by side, as one run's: each step says where it is. */
import type { MatrixEntry } from "../../../machines/model/matrix.ts";
import type { PublishedEvent } from "../../api/harness.ts";
import { type EntryRun, qualifyTest } from "../../matrix/combine_runs.ts";
import { count } from "../../core/text.ts";

export interface FollowEntry {
  fact(fact: PublishedEvent): void;
  note(message: string): void;
  /** The environment's run has ended; what it came to is told. */
  over(run: EntryRun): void;
}

const longestPhase = "provision".length;

/** @param entries all of them: their steps stand in columns */
export function followEntries(
  entries: readonly MatrixEntry[],
  tell: (fact: PublishedEvent) => void,
): (entry: MatrixEntry) => FollowEntry {
  const width = Math.max(...entries.map(({ name }) => name.length));
  const saidOnce = new Set<string>();
  let suites = 0;
  return (entry) => {
    let provisioned = false;
    let advisory: string | undefined;
    const at = (message: string) => `${entry.name}: ${message}`;
    const phase = (name: string) => `${entry.name.padEnd(width)} ${name.padEnd(longestPhase)}`;
    const note = (message: string) => tell({ type: "session.noted", message: at(message) });

    function fact(fact: PublishedEvent): void {
      switch (fact.type) {
        case "session.noted":
          // What is said of the source or of a kind of environment is the same for all.
          if (provisioned && fact.message !== advisory) return note(fact.message);
          if (!saidOnce.has(fact.message)) tell(fact);
          saidOnce.add(fact.message);
          return;
        case "step.started":
        case "step.output":
        case "step.failed":
        case "step.finished":
          // The tests' own facts tell more.
          return fact.phase === "suite" ? undefined : tell({ ...fact, phase: phase(fact.phase) });
        case "environment.provisioned":
          provisioned = true;
          advisory = fact.environment.advisory;
          return;
        case "suite.started": {
          suites++;
          const tests = fact.tests.map((test) => qualifyTest(test, entry));
          return tell({
            ...fact,
            tests,
            workersReason: `${fact.workersReason} (${entry.name})`,
          });
        }
        case "test.started":
        case "test.retried":
          return tell({ ...fact, test: qualifyTest(fact.test, entry) });
        case "test.finished": {
          const result = { ...qualifyTest(fact.result, entry), entry: entry.name };
          return tell({ ...fact, test: qualifyTest(fact.test, entry), result });
        }
        case "suite.finished":
          return --suites === 0 ? tell(fact) : undefined;
      }
    }

    function over(run: EntryRun): void {
      const message = endText(run);
      if (run.cancelled || run.error !== undefined || run.report!.summary.failed > 0) return note(message);
      tell({ type: "step.finished", phase: phase("tests"), message, durationMs: run.durationMs });
    }

    return { fact, note, over };
  };
}

function endText({ report, error, cancelled }: EntryRun): string {
  if (cancelled) return "interrupted";
  if (error !== undefined) return `not tested. ${error.message.split("\n", 1)[0]}`;
  const { passed, failed, skipped, total } = report!.summary;
  return `${count(total, "test")}, ${passed} passed, ${failed} failed, ${skipped} skipped`;
}
