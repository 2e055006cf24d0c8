/** `--verify-clean`: the suite once more in a new environment, before the loop's result counts. */
import type { CleanRunReport, Session, SuiteOptions } from "../api/harness.ts";
import { plainLine } from "../core/text.ts";
import { count } from "../core/values.ts";
import type { Interruption } from "./listen_for_interrupts.ts";

const testsShown = 20;
const changesShown = 10;

/** Whether no test fails there; says what came of it. */
export async function runClean(
  session: Session,
  suite: SuiteOptions,
  { signal, race }: Interruption,
  say: (line: string) => unknown,
): Promise<boolean> {
  say("Verifying in a new environment …");
  const verification = await race(session.tests.runClean(suite, { signal }));
  cleanLines(verification).forEach(say);
  return verification.failed.length === 0;
}

function cleanLines({ drift, failed, onlyDirty, summary }: CleanRunReport): string[] {
  const named = (results: CleanRunReport["failed"]) =>
    results.slice(0, testsShown).map(({ name }) => `    ${plainLine(name)}`);
  const changes = drift?.changes.filter(({ byLoad }) => !byLoad) ?? [];
  if (failed.length === 0) return [`Verified in a new environment: ${count(summary.passed, "test")} passed.`];
  const others = failed.filter(({ id }) => !onlyDirty.some((dirty) => dirty.id === id));
  return [
    `In a new environment ${count(failed.length, "test")} failed.`,
    ...(onlyDirty.length === 0 ? [] : [
      "  Passed only in the environment of the fixes:",
      ...named(onlyDirty),
      ...(changes.length === 0 ? [] : [
        "  What it had and a new one has not:",
        ...changes.slice(0, changesShown).map(({ group, name, change }) => `    ${group} ${name} ${change}`),
        ...(changes.length > changesShown ? [`    … ${changes.length - changesShown} more`] : []),
      ]),
    ]),
    ...(others.length === 0 ? [] : ["  Failed:", ...named(others)]),
  ];
}
