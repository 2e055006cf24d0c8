/** Which tests of a suite run, and how, as plain values (PTH design §5.3, §10). */
import type { Tier } from "./environment.ts";
import type { GeneratedFrom } from "./test_case.ts";
import type { TestStatus } from "./test_result.ts";

export interface TestFilter {
  tag?: string;
  tier?: Tier;
  status?: TestStatus;
  generatedFrom?: GeneratedFrom;
  tool?: string;
  /** Regular expression on the name. */
  grep?: string;
  ids?: string[];
}

export interface SuiteOptions extends TestFilter {
  /** A number is obeyed; "auto" (default) is 1 unless every tool under test declares itself read-only. */
  workers?: number | "auto";
  /** Replaces the tiers' defaults, not a test's own limit. */
  timeoutSeconds?: number;
  isolation?: "shared" | "per_test";
  /** Findings become failures. */
  strict?: boolean;
  /** Stop after so many failures. */
  bail?: number;
}
