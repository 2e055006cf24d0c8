/** Which tests a round runs again. */
import type { SessionCommands } from "../../harness.ts";

export interface Affected {
  /** Undefined for all. */
  ids?: string[];
  /** In words, for the person who watches. */
  why: string;
}

type Session = Pick<SessionCommands, "tests" | "results" | "testImpact" | "report">;

/**
 * Tests whose own files changed, those that the changed source reaches, and those that did not run yet.
 * @param edited ids of tests whose files changed
 */
export async function affectedTests(
  session: Session,
  sources: readonly string[],
  edited: readonly string[],
): Promise<Affected> {
  const ran = new Set(session.results().results.map(({ id }) => id));
  const fresh = session.tests().map(({ id }) => id).filter((id) => !ran.has(id));
  if (sources.length === 0) return { ids: [...edited, ...fresh], why: "changed or new" };
  // What was measured knows lines: it is asked what differs from it. Else the files are what is known.
  const measured = session.report().impact?.source === "measured";
  const impact = await session.testImpact(measured ? {} : { files: sources.map((path) => ({ path })) });
  const strangers = impact.unknown.filter((path) => sources.includes(path) || measured);
  if (strangers.length > 0) {
    return { why: `all, as nobody knows what needs ${strangers.slice(0, 3).join(", ")}` };
  }
  const how = impact.source === "measured" ? "as measured" : "as read from the source";
  return { ids: [...impact.tests, ...edited, ...fresh], why: `reached by the change, ${how}` };
}
