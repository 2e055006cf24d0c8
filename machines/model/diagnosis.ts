import type { FailureCategory } from "./verdict.ts";

/** A place in the plugin's source; the path is relative to the plugin's folder. */
export interface SourcePlace {
  path: string;
  line: number;
  column?: number;
  /** Name of the function or handler, where it is known. */
  name?: string;
}

/** Facts about one failed test. */
export interface Diagnosis {
  testId: string;
  testName: string;
  tool?: string;
  category: FailureCategory;
  /** Reasons for the category, one sentence each, the strongest first. */
  evidence: string[];
  /** Raw error text: exception, stderr, assertion failure. */
  error: string;
  input?: unknown;
  expected?: unknown;
  actual?: unknown;
  /** JSON-RPC messages of the test's call, oldest first. */
  exchange: unknown[];
  /** Output of the server on stderr during the test. */
  stderr: string;
  /** Lines that it wrote on stdout meanwhile and that were no protocol; absent where there were none. */
  stdout?: string;
  /** Commands of the test's `verify` list, as they went; absent where there were none. */
  commands?: { exec: string; code: number | null; stdout: string; stderr: string }[];
  /** Parts that were too long to store, one sentence each; absent if nothing was cut. */
  cut?: string[];
  /** Likely locations of the fault, the most likely first. */
  places: SourcePlace[];
  /** Source around those places, the tool's handler with what it calls, and what their files import. */
  excerpts: { path: string; from: number; text: string; leftOut?: string }[];
  /** Earlier fixes of the same test or files, the newest first. */
  previousFixes: { commit: string; title: string; files: string[] }[];
  environment: EnvironmentFacts;
}

/** State of the environment when a failure is diagnosed. */
export interface EnvironmentFacts {
  /** Sentences; empty when healthy. */
  problems: string[];
  processes: number;
  diskUsedPercent?: number;
  memoryUsedPercent?: number;
  /** Processes that were ended for want of memory. */
  oomKills?: number;
  failedServices?: string[];
  /** Files of the plugin's repository that are there now and in no commit, or differ from it; at most 50. */
  changedFiles?: string[];
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

/** Answer of `pth_diagnose_failure`, and input of fixers. */
export interface DiagnosisReport {
  /** The largest first. */
  groups: FailureGroup[];
  /** One for each failed test; of a plugin that did not load, one with the id "load". */
  diagnoses: Diagnosis[];
}
