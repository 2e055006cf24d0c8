/** Reduces findings to those that tell something new. */
import { misleadingKinds } from "../judge/misleading_kind.ts";

/** Each finding once; of a tool's misleading answers of one kind only the first, as their example. */
export function uniqueFindings<F extends { code: string; tool?: string | undefined; message: string }>(
  all: readonly F[],
): F[] {
  const byKey = new Map<string, F>();
  for (const finding of all) {
    const { code, tool, message } = finding;
    const key = JSON.stringify(misleadingKinds.includes(code) ? [code, tool] : [code, tool, message]);
    if (!byKey.has(key)) byKey.set(key, finding);
  }
  return [...byKey.values()];
}
