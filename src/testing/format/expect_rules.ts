/** Rules across the assertions of one `expect`. */
import { isObject } from "../../core/values.ts";
import { assertionTable } from "../judge/assertion_table.ts";
import type { Path } from "../../core/read_source.ts";

/** @param holder The test or step that has the `expect`, which lies at `path`. */
export function expectRules(
  holder: Record<string, unknown>,
  path: Path,
  kind: "test" | "step",
): RuleProblem[] {
  const { expect } = holder;
  if (!isObject(expect)) return [];
  const at = [...path, "expect"];
  const keys = Object.keys(expect);
  const problems: RuleProblem[] = [];
  const alone = keys.find((key) => assertionTable.get(key)?.assertion.exclusive);
  if (kind === "step" && "refuses" in expect) {
    problems.push({ path: [...at, "refuses"], message: "refuses is for tests of one call, not for steps" });
  } else if (alone !== undefined && keys.length > 1) {
    problems.push({ path: at, message: `${alone} stands alone, without other assertions` });
  }
  if (kind === "test" && "refuses" in expect && !("control" in holder)) {
    problems.push({ path: [...at, "refuses"], message: "refuses needs a control: an input that succeeds" });
  }
  const onError = keys.find((key) => key.startsWith("error_contains"));
  if (expect.success === true && onError !== undefined) {
    problems.push({ path: [...at, onError], message: `${onError} cannot hold when success is true` });
  }
  return problems;
}

export interface RuleProblem {
  path: Path;
  /** Set where the key itself is wrong, and the path is that of its value. */
  key?: string;
  message: string;
}
