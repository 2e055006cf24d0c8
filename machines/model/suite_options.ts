/** Options of a suite: the tests to run and the way to run them, as plain values. */
import type { PromptAgent } from "./prompt_agent.ts";
import type { ProjectTestRequest } from "./project_test.ts";
import type { Tier } from "./environment.ts";
import type { GeneratedFrom } from "./test_case.ts";
import type { TestStatus } from "./verdict.ts";

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

/** Choice of the plugin's own tests; by default all of the framework that fits best. */
export interface OwnTestOptions extends Pick<ProjectTestRequest, "level" | "command" | "timeoutMs"> {
  /** Frameworks by name: each runs its tests, one after the other. */
  frameworks?: string[];
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
  /** Number of times that a failed test is repeated; passes among failures make it flaky. Default 0. */
  retries?: number;
  /** Only what failed or was flaky in the latest run of this plugin on this machine. */
  lastFailed?: boolean;
  /** Order of tests by hand and of generated ones is drawn from `seed`. */
  shuffle?: boolean;
  /** For everything that is drawn; told in the report, so that a run can be repeated. */
  seed?: number;
  /** The i-th of n parts of the suite, `i` from 1; the parts together are the suite. */
  shard?: { index: number; of: number };
  /** Measure which lines run, for each test where the platform can. */
  coverage?: boolean;
  /** Runs the plugin's own tests, too, after all others; what chooses among those leaves them alone. */
  ownTests?: OwnTestOptions;
  /** Agent that works on tests with a prompt; without one they are skipped. */
  agent?: PromptAgent;
}
