import type { ReloadReport } from "./reload_report.ts";

/** One change of the plugin's files; paths are relative to the plugin's folder and stay within it. */
export type Edit =
  /** `find` must occur exactly once. */
  | { path: string; find: string; replace: string }
  /** Creates or replaces the whole file. */
  | { path: string; content: string }
  | { path: string; delete: true }
  | { from: string; to: string }
  /** A unified diff that must apply exactly. */
  | { patch: string };

export interface FixRequest {
  /** Ids or names of the tests that it is for. */
  tests: string[];
  category?: string;
  /** First line of the commit, without the "fix: ". */
  title: string;
  body?: string;
  /** All apply, or none. */
  edits: Edit[];
  /** Snapshot the environment first, so that a revert also restores it. */
  snapshot?: boolean;
  /** Only meant for this distribution. */
  distro?: string;
  /** Iteration of the loop that makes it. */
  iteration?: number;
}

/** A commit on the session branch, read back from its trailers. */
export interface FixRecord {
  commit: string;
  title: string;
  body: string;
  /** `fix`, `revert`, `docs`, `tests`, `state-checkpoint`, `report`; `other` for a commit that is not PTH's. */
  type: string;
  tests: string[];
  category?: string;
  files: string[];
  /** Lines; known of a commit that was just made. */
  changed?: { added: number; removed: number };
  iteration?: number;
  distro?: string;
  /** ISO time. */
  at: string;
  /** Commit that reverted it, where there is one. */
  revertedBy?: string;
  /** Commit that it reverts. */
  reverts?: string;
}

export interface FixQuery {
  test?: string;
  category?: string;
  file?: string;
  iteration?: number;
}

/** Patterns across several commits of a history. */
export interface FixPatterns {
  /** Tests that were fixed and broke again, with the commits. */
  oscillating: { test: string; commits: string[] }[];
  /** Fixes that make a change that was made before. */
  repeated: { commits: string[]; file: string }[];
}

/** Changes of the session branch since its base. */
export interface SessionDiff {
  base: string;
  head: string;
  commits: number;
  files: FileChange[];
  added: number;
  removed: number;
  /** Unified diff; absent when only the figures were asked for. */
  diff?: string;
}

export interface FileChange {
  path: string;
  /** Earlier name of a renamed file. */
  from?: string;
  /** Lines; absent for binary files. */
  added?: number;
  removed?: number;
}

/** The session's commits that were asked for, newest first, and what all of them show together. */
export interface FixHistory {
  records: FixRecord[];
  /** Number of records without the query. */
  total: number;
  patterns: FixPatterns;
}

/** Fix that broke a test, found by running it at commits. */
export interface Bisection {
  /** Name of the test. */
  test: string;
  /** The commit from which on it fails; several, oldest first, where those between could not be judged. */
  culprits: FixRecord[];
  /** In the order in which they were tried; `passed` is absent where it could not be judged (no build, skipped). */
  tried: { commit: string; title: string; passed?: boolean; says: string }[];
  /** True if it passes with the newest commit: nothing is broken. */
  passesNow: boolean;
  /** True where the test failed before the first fix, too. With culprits: a fix mended it, and they broke it again. */
  brokenBefore: boolean;
  /** The latest state before the culprits, where it passed. */
  lastGood?: { commit: string; title: string };
  /** Fixes from the culprits on, or all where there are none, with which it was not run or could not be, oldest first. */
  untested: { commit: string; title: string }[];
}

export interface DiffOptions {
  /** File or folder, relative to the plugin's folder. */
  path?: string;
  /** Figures only. */
  stat?: boolean;
}

/** Result of an applied fix. */
export interface FixResult {
  fix: FixRecord;
  snapshot: string | undefined;
  reloaded: ReloadReport | undefined;
  unsaved: unknown;
}

/** Result of a revert. */
export interface RevertResult {
  revert: FixRecord;
  rolledBack: boolean;
  lostSnapshot: boolean;
  reloaded: ReloadReport | undefined;
}
