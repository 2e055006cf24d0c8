/** Why tests failed, as plain values (PTH design §5.4). */
import type { FailureCategory } from "./test_result.ts";

/** A place in the plugin's source; the path is relative to the plugin's folder. */
export interface SourcePlace {
  path: string;
  line: number;
  column?: number;
  /** Name of the function or handler, where it is known. */
  name?: string;
}

/** Everything that is known about one failed test. */
export interface Diagnosis {
  testId: string;
  testName: string;
  tool?: string;
  category: FailureCategory;
  /** What decided the category, one sentence each, the strongest first. */
  evidence: string[];
  /** Raw error text: exception, stderr, assertion failure. */
  error: string;
  input?: unknown;
  expected?: unknown;
  actual?: unknown;
  /** JSON-RPC messages of the test's call, oldest first. */
  exchange: unknown[];
  stderr: string;
  /** Where the fault most likely is, the likeliest first. */
  places: SourcePlace[];
  /** Source around those places, and what the handler imports. */
  excerpts: { path: string; from: number; text: string }[];
  /** Earlier fixes of the same test or files, the newest first. */
  previousFixes: { commit: string; title: string; files: string[] }[];
  environment: { problems: string[]; processes: number };
}

/** Failures with one root cause. */
export interface FailureGroup {
  /** Stable over iterations as long as the cause stays: category and place. */
  id: string;
  category: FailureCategory;
  /** One sentence. */
  cause: string;
  place?: SourcePlace;
  testIds: string[];
}

/** What `pth_diagnose_failure` answers, and what fixers are given. */
export interface DiagnosisReport {
  /** The largest first. */
  groups: FailureGroup[];
  /** One for each failed test; of a plugin that did not load, one with the id "load". */
  diagnoses: Diagnosis[];
}
