/** Numbers of covered and of all items, as plain values. */

export interface CoverageCount {
  covered: number;
  total: number;
}

export interface FunctionCoverage {
  name: string;
  /** First and last line, from 1. */
  line: number;
  endLine: number;
  hits: number;
}

export interface BranchCoverage {
  line: number;
  /** Number of times that each branch was taken. */
  hits: number[];
}

export interface FileCoverage {
  /** Relative to the plugin's folder, with "/". Sources where maps lead to them, else what ran. */
  path: string;
  /** Hits by line number, of lines that hold code. */
  lines: Record<number, number>;
  functions: FunctionCoverage[];
  branches: BranchCoverage[];
  /** Tools whose handlers lie in the file, by the line at which they begin. */
  tools: { tool: string; line: number; endLine: number }[];
}

/** A piece of code that no test runs. */
export interface CoverageGap {
  path: string;
  line: number;
  endLine: number;
  /** An error branch is one whose code throws, catches or answers an error; a branch is a way that was never taken. */
  kind: "error branch" | "branch" | "function" | "lines";
  /** Tool whose handler contains the code, or calls the function that does. */
  tool?: string;
}

export interface CoverageReport {
  /** "v8", "coverage.py", "llvm-cov", "gcov". */
  collector: string;
  files: FileCoverage[];
  totals: { lines: CoverageCount; functions: CoverageCount; branches: CoverageCount };
  gaps?: CoverageGap[];
  /** Code that could not be measured, with the reason. */
  notes: string[];
}

/** A piece of source that a test reaches. */
export interface TestReach {
  path: string;
  /** Lines that ran, as closed ranges from 1; absent: the file as a whole (static analysis). */
  ranges?: [number, number][];
  /** Functions as `name:line`, the line being the first of the function. */
  functions: string[];
}

export interface ImpactMap {
  /** Measured: from coverage of each test; static: from what handlers import and call. */
  source: "measured" | "static";
  /** By test id. */
  tests: Record<string, TestReach[]>;
  /** Code that ran while the server started, and so before every test. */
  startup?: TestReach[];
  /** All functions of the files that the map knows, by path, as lines stood when it was made. */
  functions?: Record<string, { name: string; line: number; endLine: number }[]>;
  notes: string[];
}

/** Files, and lines in them where only those changed; lines as they stood when the map was made. */
export interface ChangedFile {
  path: string;
  lines?: number[];
}

/** Tests that a change affects. */
export interface TestImpact {
  source: ImpactMap["source"];
  /** Ids, in the order of the suite. */
  tests: string[];
  /** Tests that each change reaches, one entry for each function or place. */
  changes: {
    path: string;
    /** `name:line` of the function; absent: outside of all functions, or the file as a whole. */
    function?: string;
    lines?: [number, number];
    tests: string[];
    /** Reason for the choice of these tests, in words. */
    reason: string;
  }[];
  /** Files that the map knows nothing of: whether a test needs them is not known. */
  unknown: string[];
  notes: string[];
}
