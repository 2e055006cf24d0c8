/** Reduces findings to those that tell something new. */
import { incidentCodes } from "../judge/incident_findings.ts";
import { misleadingKinds } from "../judge/misleading_kind.ts";
import { unhandledErrorFinding } from "../judge/unhandled_error.ts";

/** Codes of findings of which the first tells as much as all. */
const told = [...misleadingKinds, ...incidentCodes, unhandledErrorFinding];

/** Each finding once; of a tool's findings about its answers and incidents only the first of a code, as their example. */
export function uniqueFindings<F extends { code: string; tool?: string | undefined; message: string }>(
  all: readonly F[],
): F[] {
  const byKey = new Map<string, F>();
  for (const finding of all) {
    const { code, tool, message } = finding;
    const key = JSON.stringify(told.includes(code) ? [code, tool] : [code, tool, message]);
    if (!byKey.has(key)) byKey.set(key, finding);
  }
  return [...byKey.values()];
}
