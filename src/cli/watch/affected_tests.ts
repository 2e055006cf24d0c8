/** Which tests a round runs again. */
import type { Session as SessionCommands } from "../../api/harness.ts";

export interface Affected {
  /** Undefined for all. */
  ids?: string[];
  /** In words, for the person who watches. */
  why: string;
}

type Session = Pick<SessionCommands, "tests" | "coverage" | "report">;

/**
 * Tests whose own files changed, those that the changed source reaches, and those that did not run yet.
 * @param edited ids of tests whose files changed
 */
export async function affectedTests(
  session: Session,
  sources: readonly string[],
  edited: readonly string[],
): Promise<Affected> {
  const ran = new Set(session.tests.results().results.map(({ id }) => id));
  const fresh = session.tests.list().map(({ id }) => id).filter((id) => !ran.has(id));
  if (sources.length === 0) return { ids: [...edited, ...fresh], why: "changed or new" };
  // What was measured knows lines: it is asked what differs from it. Of other files only their names are known.
  const { impact: map } = session.report();
  const measured = map?.source === "measured" ? map.functions ?? {} : undefined;
  const others = sources.filter((path) => measured?.[path] === undefined).map((path) => ({ path }));
  const impacts = [
    ...(measured === undefined ? [] : [await session.coverage.impact({})]),
    ...(others.length === 0 ? [] : [await session.coverage.impact({ files: others })]),
  ];
  const strangers = [...new Set(impacts.flatMap(({ unknown }) => unknown))];
  if (strangers.length > 0) {
    return { why: `all, as nobody knows what needs ${strangers.slice(0, 3).join(", ")}` };
  }
  const how = measured === undefined ? "as read from the source" : "as measured";
  const reached = new Set(impacts.flatMap(({ tests }) => tests));
  return { ids: [...reached, ...edited, ...fresh], why: `reached by the change, ${how}` };
}
