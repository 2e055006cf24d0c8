/** Relates results to the plugin's code and environment. */
import type { StaleResults } from "../../../machines/model/stale_results.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import { definedOnly } from "../../core/values.ts";
import type { SessionResources } from "../session_resources.ts";

/** Names the commit and environment of a test that runs now, for its result. */
export const runsOn = (
  { code, environment }: SessionResources,
): Pick<TestResult, "commit" | "environmentId"> =>
  definedOnly({
    commit: code.line.running(code.source?.base),
    environmentId: environment.current?.info.handle.environmentId,
  });

/** Counts results of older code; undefined where all are of the plugin's code as the branch has it. */
export const staleResults = (
  { code, plugin }: SessionResources,
  results: readonly Pick<TestResult, "commit">[],
): StaleResults | undefined => code.line.stale(results, plugin.loadFailure?.message);
