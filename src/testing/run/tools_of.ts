/** Tools that a test calls, whatever its tier. */
import type { TestCase } from "../../../machines/model/test_case.ts";

/** In the order of their first call, each once; a prompt names none. */
export function toolsOf({ tool, steps }: TestCase): string[] {
  const called = (steps ?? []).flatMap(({ action }) => action.kind === "call" ? [action.tool] : []);
  return [...new Set([...(tool === undefined ? [] : [tool]), ...called])];
}
